// Runs before `npm start`, `npm test`, `npm run bench` and `npm run proof`, under any Node from 18 up and with nothing installed:
// installs what the lock file says, when it is not installed yet, and sees to it that every npm script finds Node 24.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Advice } from "./bootstrap/advice.mjs";
import { bootstrap } from "./bootstrap/bootstrap.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

try {
  await bootstrap({ root, env: process.env, say: (line) => process.stderr.write(`${line}\n`) });
} catch (error) {
  if (!(error instanceof Advice)) throw error;
  process.stderr.write(`\n${error.message}\n`);
  process.exitCode = 1;
}
