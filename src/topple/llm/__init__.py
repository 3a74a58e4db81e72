"""Language models as agents: any OpenAI-compatible chat endpoint, on both benchmarks."""
