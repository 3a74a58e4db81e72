"""What tasks are like: how hard, how solvable, how alike.

Everything here works on published tasks and on those of your own templates.
"""
