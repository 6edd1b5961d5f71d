import { mkdir } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import type { Config } from "../config/config.ts";
import { ConfigError, readConfig } from "../config/config.ts";
import { DOCTOR_HELP } from "../help.ts";
import { FolderTaken, lockFolder } from "../journal/folder-lock.ts";
import type { Clock } from "../ports/clock.ts";
import { openInput } from "../sources/open-input.ts";
import { readingThreads } from "../sources/reading-threads.ts";
import { checkCodecs } from "./codecs.ts";
import { listDevices } from "./devices.ts";
import type { Finding } from "./finding.ts";
import { bad, good, note, wordsOf } from "./finding.ts";
import { checkNetwork } from "./network.ts";
import { checkPictures } from "./pictures.ts";
import { checkPlatform } from "./platform.ts";
import { checkRelay } from "./relay.ts";
import { inJson, inWords, isWrong } from "./report.ts";

export interface DoctorDeps {
  readonly environment: NodeJS.ProcessEnv;
  readonly readFile: (path: string) => string;
  readonly clock: Clock;
  readonly wallNow: () => number;
  /** Takes the report. */
  readonly write: (text: string) => void;
}

/** Runs the doctor. Resolves to the exit code. */
export async function runDoctor(given: readonly string[], deps: DoctorDeps): Promise<0 | 1 | 2> {
  const asked = new Set(given);
  if (asked.delete("--help")) {
    deps.write(DOCTOR_HELP);
    return 0;
  }
  const json = asked.delete("--json");
  if (asked.size > 0) {
    deps.write(`The doctor does not know ${[...asked].join(" ")}.\n${DOCTOR_HELP}`);
    return 2;
  }
  const findings = await examine(deps);
  deps.write(json ? inJson(findings) : inWords(findings));
  return isWrong(findings) ? 1 : 0;
}

async function examine(deps: DoctorDeps): Promise<Finding[]> {
  const { clock, wallNow } = deps;
  const config = readOrComplain(deps);
  if (Array.isArray(config)) return [...config, ...(await checkCodecs(clock)), ...listDevices()];
  // Before the first thing that waits: see `readingThreads`.
  deps.environment["UV_THREADPOOL_SIZE"] ??= String(readingThreads(config.machines));
  const codecs = await checkCodecs(clock);
  const [folder, platform, network, relay] = await Promise.all([
    checkFolder(config.dataFolder),
    Promise.all(config.platformUrls.map((url) => checkPlatform(url, config.agentKey, clock))),
    checkNetwork(config.media, networkInterfaces()),
    checkRelay(config.media.relay, deps),
  ]);
  const pictures = await checkPictures(config.machines, { clock, wallNow, openInput });
  const said = good(
    "configuration",
    `It is complete: ${config.machines.length === 1 ? "one machine" : `${config.machines.length} machines`}, data in ${config.dataFolder}.`,
  );
  return [said, folder, ...platform.flat(), ...network, ...relay, ...codecs, ...pictures, ...listDevices()];
}

function readOrComplain({ environment, readFile }: DoctorDeps): Config | Finding[] {
  try {
    return readConfig(environment, readFile);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.message.split("\n").slice(1);
    return lines.map((line) =>
      bad("configuration", `${line.trim()}.`, "Correct it; docs/operating/settings.md lists every setting"),
    );
  }
}

async function checkFolder(folder: string): Promise<Finding> {
  const part = "configuration";
  try {
    await mkdir(folder, { recursive: true });
    await (await lockFolder(folder))();
    return good(part, "The data folder can be written.");
  } catch (error) {
    if (error instanceof FolderTaken)
      return note(
        part,
        "An agent works in the data folder now: devices that it shows are busy for the doctor.",
        "Stop it to have its devices tried",
      );
    return bad(
      part,
      `The data folder cannot be used: ${wordsOf(error)}.`,
      "Give the agent's user a folder it may write, in DATA_FOLDER",
    );
  }
}
