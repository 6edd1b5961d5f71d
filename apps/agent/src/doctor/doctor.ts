import { mkdir } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { parseArgs } from "node:util";
import { ConfigError } from "@longarm/link/environment";
import type { Config } from "../config/config.ts";
import { machineFolder, readConfig } from "../config/config.ts";
import type { MachineConfig } from "../config/entry.ts";
import { readingThreads } from "../config/machines.ts";
import { driverOf } from "../drivers/registry.ts";
import { DOCTOR_HELP } from "../help.ts";
import { FolderTaken, lockFolder } from "../journal/folder-lock.ts";
import type { EncoderName } from "../media/encoder/h264-encoders.ts";
import { tryInChild } from "../media/encoder/try-in-child.ts";
import type { RelayFinding, RelayUse } from "../media/transport/werift/relay.ts";
import { relayServer, tryRelay } from "../media/transport/werift/relay.ts";
import { mediaEnvironment } from "../media-process/media-process.ts";
import type { Clock } from "../ports/clock.ts";
import { openInput } from "../sources/open-input.ts";
import { CommissionRefused, commission } from "./commissioning/commission.ts";
import type { EndedStep } from "./commissioning/commissioning.ts";
import { runSteps } from "./commissioning/commissioning.ts";
import { FAULTS } from "./commissioning/faults.ts";
import { reportFile, VERDICTS } from "./commissioning/report.ts";
import { checkEncoders } from "./encoders.ts";
import type { Finding, FindingState } from "./finding.ts";
import { bad, good, messageOf, note } from "./finding.ts";
import { checkCodecs, checkSources, listDevices } from "./media.ts";
import { checkNetwork, checkPlatform } from "./network.ts";

export interface DoctorDeps {
  readonly environment: NodeJS.ProcessEnv;
  readonly readFile: (path: string) => string;
  readonly clock: Clock;
  readonly wallNow: () => number;
  /** Writes the report. */
  readonly write: (text: string) => void;
}

/** Runs the doctor. Resolves to the exit code. */
export async function runDoctor(given: readonly string[], deps: DoctorDeps): Promise<0 | 1 | 2> {
  const options = optionsOf(given);
  if (options instanceof Error) {
    deps.write(`${printable(options.message)}\n${DOCTOR_HELP}`);
    return 2;
  }
  if (options.help) {
    deps.write(DOCTOR_HELP);
    return 0;
  }
  if (options.machine !== undefined) return await commissionOne(options.machine, options, deps);
  const findings = await examine(deps);
  deps.write(options.json ? asJson(findings) : asText(findings));
  return isWrong(findings) ? 1 : 0;
}

const OPTIONS = {
  help: { type: "boolean" },
  json: { type: "boolean" },
  machine: { type: "string" },
  look: { type: "boolean" },
  by: { type: "string" },
  report: { type: "string" },
  only: { type: "string" },
  polls: { type: "string" },
  blink: { type: "string" },
} as const;
type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

const NAME_MAX = 100;

/** The options, or an error that says what is wrong with the command line. */
function optionsOf(given: readonly string[]): Options | Error {
  try {
    const { values } = parseArgs({ args: [...given], options: OPTIONS });
    const { machine, look, by, report, only, polls, blink, json } = values;
    if (machine === undefined && [look, by, report, only, polls, blink].some((value) => value !== undefined))
      return new Error("--look, --by, --report, --only, --polls and --blink go with --machine.");
    if (blink !== undefined && blink !== "page" && !blink.startsWith("/"))
      return new Error("--blink must be page, or the whole path of a file that switches a light.");
    if (blink !== undefined && [look, only, polls].some((value) => value !== undefined))
      return new Error("--blink measures nothing but the delay: it goes without --look, --only and --polls.");
    if (blink === "page" && json) return new Error("--blink page says where its page is: it goes without --json.");
    if (polls !== undefined && !/^[1-9]\d{0,4}$/.test(polls))
      return new Error("--polls must be a number from 1 to 99999.");
    return (by ?? "").length > NAME_MAX ? new Error(`--by has at most ${NAME_MAX} characters.`) : values;
  } catch (error) {
    return error as Error;
  }
}

/** Commissions one machine of the list. */
async function commissionOne(
  id: string,
  { look, by, report, json, only, polls, blink }: Options,
  deps: DoctorDeps,
): Promise<0 | 1 | 2> {
  const { clock, wallNow, write } = deps;
  const config = readOrComplain(deps);
  if (Array.isArray(config)) {
    write(asText(config));
    return 1;
  }
  // Before the first asynchronous call: see `readingThreads`.
  deps.environment["UV_THREADPOOL_SIZE"] ??= String(readingThreads(config.machines));
  const machine = config.machines.find((one) => one.id === id);
  if (machine === undefined) {
    write(`There is no machine "${printable(id)}". There are: ${config.machines.map((one) => one.id).join(", ")}.\n`);
    return 2;
  }
  const say = (sentence: string): void => {
    if (!json) write(`${printable(sentence)}\n`);
  };
  try {
    const { report: done, files } = await commission(
      {
        ...{ machine, acts: look !== true && blink === undefined, by, folder: report, only: only?.split(","), blink },
        polls: polls === undefined ? undefined : Number(polls),
      },
      {
        config,
        clock,
        wallNow,
        problem: (sentence) => say(`       ${sentence}`),
        ended: (step) => say(stepLine(step)),
      },
    );
    if (json) write(reportFile(done).json);
    for (const line of [VERDICTS[done.verdict], `Report: ${files.page}`, `        ${files.json}`]) say(line);
    return done.verdict === "faulty" ? 1 : 0;
  } catch (error) {
    if (!(error instanceof CommissionRefused)) throw error;
    write(`${error.message}\n`);
    return 1;
  }
}

const OUTCOMES = { passed: "ok   ", noted: "note ", skipped: "skip ", failed: "WRONG" } as const;

function stepLine(step: EndedStep): string {
  const check = step.outcome === "failed" ? ` Check: ${FAULTS[step.fault]}.` : "";
  return `${OUTCOMES[step.outcome]}  ${step.title}: ${step.says}${check}`;
}

async function examine(deps: DoctorDeps): Promise<Finding[]> {
  const { clock, wallNow } = deps;
  const config = readOrComplain(deps);
  const environment = mediaEnvironment(deps.environment);
  const tried = (encoder: EncoderName) => checkEncoders(encoder, (name) => tryInChild(name, { clock, environment }));
  if (Array.isArray(config))
    return [...config, ...(await checkCodecs(clock)), ...(await tried("x264")), ...listDevices()];
  // Before the first asynchronous call: see `readingThreads`.
  deps.environment["UV_THREADPOOL_SIZE"] ??= String(readingThreads(config.machines));
  const codecs = [...(await checkCodecs(clock)), ...(await tried(config.encoder))];
  const [folder, platform, network, relay] = await Promise.all([
    checkFolder(config.dataFolder),
    Promise.all(config.platformUrls.map((url) => checkPlatform(url, config.agentKey, clock))),
    checkNetwork(config.media, networkInterfaces()),
    checkRelay(config.media.relay, deps),
  ]);
  const sources = await checkSources(config.machines, { clock, wallNow, openInput });
  // A line has one host, and a running agent is it.
  const isBusy = folder.state === "note";
  const machines = await Promise.all(config.machines.map((machine) => lookAt(machine, config, isBusy, deps)));
  const said = good(
    "configuration",
    `It is complete: ${config.machines.length === 1 ? "one machine" : `${config.machines.length} machines`}, data in ${config.dataFolder}.`,
  );
  return [
    said,
    folder,
    ...platform.flat(),
    ...network,
    ...relay,
    ...codecs,
    ...sources,
    ...machines.flat(),
    ...listDevices(),
  ];
}

/** Polls that measure the errors of a line, when all machines of an agent are looked at. */
const POLLS = 50;

/** The steps of a driver's own doctor, which only read, as findings. */
async function lookAt(
  machine: MachineConfig,
  config: Config,
  isBusy: boolean,
  { clock, wallNow }: DoctorDeps,
): Promise<Finding[]> {
  const { id } = machine;
  const kind = driverOf(machine);
  if (isBusy && !kind.simulated)
    return [
      note(id, "The agent drives this machine now, so its line was not looked at.", "Stop it to have the line tried"),
    ];
  const folder = machineFolder(config, machine);
  const { steps, end } = await kind.examine(machine, { clock, wallNow, folder, acts: false, polls: POLLS });
  const done = await runSteps(steps, clock).finally(end);
  return done.map((step) => {
    const says = `${step.title}: ${step.says}`;
    if (step.outcome === "failed") return bad(id, says, FAULTS[step.fault]);
    return step.outcome === "passed" ? good(id, says) : note(id, says);
  });
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
      `The data folder cannot be used: ${messageOf(error)}.`,
      "Give the agent's user a folder it may write, in DATA_FOLDER",
    );
  }
}

const MARK: Readonly<Record<FindingState, string>> = { good: "ok   ", note: "note ", bad: "WRONG" };

/** Devices and servers choose their own names: characters that control a terminal or its writing direction are replaced. */
const printable = (text: string): string => text.toWellFormed().replaceAll(/\p{C}/gu, "\uFFFD");

/** The findings for people, part by part. */
export function asText(findings: readonly Finding[]): string {
  const lines: string[] = [];
  for (const part of new Set(findings.map((finding) => finding.part))) {
    lines.push(part);
    for (const { state, says, change } of findings.filter((finding) => finding.part === part)) {
      lines.push(`  ${MARK[state]}  ${printable(says)}`);
      if (change !== undefined) lines.push(`         Do: ${printable(change)}`);
    }
  }
  const wrong = findings.filter(({ state }) => state === "bad").length;
  lines.push("", wrong === 0 ? "Nothing is wrong." : `${wrong === 1 ? "One thing is" : `${wrong} things are`} wrong.`);
  return `${lines.join("\n")}\n`;
}

/** The same for programs. */
export function asJson(findings: readonly Finding[]): string {
  return `${JSON.stringify({ good: !isWrong(findings), findings }, undefined, 2)}\n`;
}

const isWrong = (findings: readonly Finding[]): boolean => findings.some(({ state }) => state === "bad");

const RELAY = "relay";

interface RelayTrialDeps {
  /** May hold the platform's TURN_URLS and TURN_SECRET: an agent itself gets servers and credentials with each viewer. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** Whether the agent's own side can go through the platform's TURN servers. */
export async function checkRelay(relay: RelayUse, { environment, clock }: RelayTrialDeps): Promise<Finding[]> {
  const urls = (environment["TURN_URLS"] ?? "").split(",").map((url) => url.trim());
  const secret = environment["TURN_SECRET"]?.trim() ?? "";
  const turn = urls.filter((url) => /^turns?:/.test(url));
  if (turn.length === 0 || secret === "") return [untried(relay)];
  const found = await tryRelay(relayServer(turn, secret, clock.now()), clock);
  return found.map((one) => relayFinding(one, relay));
}

function untried(relay: RelayUse): Finding {
  const change = "Start the doctor with the platform's TURN_URLS and TURN_SECRET to have them tried";
  if (relay === "no")
    return note(RELAY, "The agent's own side does not go through TURN servers (ICE_RELAY is no); browsers may.");
  return note(
    RELAY,
    `The agent's own side goes through the platform's TURN servers (ICE_RELAY is ${relay}); they were not tried.`,
    change,
  );
}

/** The sentence of a finding is what was seen, a colon, and what to change. */
function relayFinding({ url, works, sentence }: RelayFinding, relay: RelayUse): Finding {
  const says = `${url}: ${sentence}`;
  if (works) return good(RELAY, says);
  if (relay === "no") return note(RELAY, `${says} This agent does not use it (ICE_RELAY is no), but browsers do.`);
  return bad(RELAY, says, "Repair the server, or set ICE_RELAY to no where browsers reach the agent without it");
}
