// The worker of the local back end: it owns the engine, the data files and the stored attempts.
import { ApiError } from "../api_error.js";
import { Catalogue } from "./catalogue.js";
import { finishInterrupted, LiveGame } from "./live.js";
import { answer } from "./routes.js";
import { openStore } from "./store.js";

const backend = open();

async function open() {
  const store = await openStore();
  const opened = { catalogue: new Catalogue(), store, seen: new Map() };
  await finishInterrupted(opened);
  return opened;
}

onmessage = async ({ data }) => {
  const { id, live, port, ...call } = data;
  if (port) return void new LiveGame(await backend, live, port).open();
  try {
    postMessage({ id, answer: await answer(await backend, call) });
  } catch (error) {
    const { status = 500, message } = /** @type {any} */ (error);
    postMessage({ id, error: { status, message } });
    if (!(error instanceof ApiError)) throw error; // a fault of ours belongs in the console
  }
};
