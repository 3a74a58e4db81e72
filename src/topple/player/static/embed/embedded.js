// What the one file of the element holds; topple.player.embed fills it in.

export const MODULE = ""; // the compressed engine in base64; loaded from DATA if it is empty
export const GAMES = ""; // the games, likewise
export const DATA = "../data/"; // the folder of data files, seen from this script
