import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

// attack 6: the agent ended, too, with the first line that a full disk did not take.
test.each(["json", "words"])("a log of %s that cannot be written never ends the agent's process", async (format) => {
  const folder = await mkdtemp(join(tmpdir(), "longarm-agent-log-"));
  const program = join(folder, "main.mjs");
  const source = new URL("./log.ts", import.meta.url).href;
  await writeFile(
    program,
    `import { createLog } from ${JSON.stringify(source)};
    const log = createLog({ logLevel: "info", logFormat: ${JSON.stringify(format)} });
    for (let turn = 0; turn < 20; turn += 1) {
      log.info("a line");
      await new Promise((next) => setImmediate(next));
    }
    process.exit(7);`,
  );
  // Linux has a full disk for tests; elsewhere a file that is open for reading alone takes nothing either.
  const full = existsSync("/dev/full") ? openSync("/dev/full", "w") : openSync(import.meta.filename, "r");
  try {
    const child = spawn(process.execPath, [program], { stdio: ["ignore", full, "inherit"] });
    expect(await once(child, "exit")).toEqual([7, null]);
  } finally {
    closeSync(full);
    await rm(folder, { recursive: true });
  }
});
