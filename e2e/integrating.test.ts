import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../launcher/venue.ts";
import { freePort } from "../rig/venue/free-port.ts";
import { longarm } from "../rig/venue/staff.ts";
import type { TestVenue } from "../rig/venue/test-venue.ts";
import { openTestVenue } from "../rig/venue/test-venue.ts";
import { findTool } from "../tooling/finders/find-tool.ts";

/* The walk of docs/integrating.md, as it is written there, with curl and openssl against a platform of its own. */

const run = promisify(execFile);
let venue: TestVenue;
let portNumber: number;

beforeAll(async () => {
  portNumber = await freePort();
  venue = await openTestVenue({ nodes: 1, machines: 1, platformEnv: { INTEGRATION_PORT: String(portNumber) } });
});
afterAll(() => venue?.close());

/** A PATH, and what else the shell needs, with both programs of the document. */
async function environment(): Promise<NodeJS.ProcessEnv> {
  const tools = [await findTool("curl"), await findTool("openssl")];
  const list = (one: string, more: readonly (string | undefined)[]) => ({
    [one]: [...more, process.env[one]].filter((part) => part !== undefined).join(delimiter),
  });
  return {
    ...process.env,
    ...list(
      "PATH",
      tools.map(({ executablePath }) => dirname(executablePath)),
    ),
    ...list(
      "LD_LIBRARY_PATH",
      tools.map(({ env }) => env["LD_LIBRARY_PATH"]),
    ),
  };
}

test("the walk of the document works as it is written", async () => {
  const page = await readFile(join(ROOT, "docs/integrating.md"), "utf8");
  const snippets = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = ""]) => text);
  expect(snippets).toHaveLength(3);
  const [command = ""] = /^longarm integrations add .*$/m.exec(page) ?? [];
  const said = await longarm(venue, ...command.split(" ").slice(1));
  const { stdout } = await run("sh", ["-euc", snippets.join("\n")], {
    env: {
      ...(await environment()),
      LONGARM_API: `http://127.0.0.1:${portNumber}`,
      LONGARM_KEY: /^Key: (\S+)$/m.exec(said)?.[1],
      LONGARM_SECRET: /^Secret .*: (\S+)$/m.exec(said)?.[1],
    },
  });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(answers).toMatchObject([
    { externalId: "crm-1042", username: "walk.player" },
    { before: 0, after: 5_000 },
    { before: 0, after: 5_000 },
    { available: 5_000 },
    { limits: [{ limit: "deposit.day", value: 6_000 }] },
    { problem: "money.refused", reason: "limit.deposit" },
    { before: 5_000, after: 3_000 },
    { rows: [] },
    { excludedUntil: null },
  ]);
});
