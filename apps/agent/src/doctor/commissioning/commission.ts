import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import type { Config } from "../../config/config.ts";
import { machineFolder } from "../../config/config.ts";
import type { MachineConfig } from "../../config/entry.ts";
import { isCamera, storeDelay } from "../../config/source-delay.ts";
import { driverOf } from "../../drivers/registry.ts";
import { FolderTaken, lockFolder } from "../../journal/folder-lock.ts";
import type { Journal } from "../../journal/journal.ts";
import { openJournal } from "../../journal/journal.ts";
import { createQueue } from "../../machine/machine-queue.ts";
import { overridden } from "../../machine/overridden.ts";
import type { MachineBroadcast } from "../../media/broadcast.ts";
import { encodeWhole } from "../../media/encoder/still-encoder.ts";
import { publishStep } from "../../money/money-steps.ts";
import { UnderWay } from "../../money/under-way.ts";
import { keptSecret, machinePlans } from "../../plans.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Driver, Examination } from "../../ports/driver.ts";
import type { Egm, EgmMeters } from "../../ports/egm.ts";
import type { Source } from "../../ports/source.ts";
import { OfferProblem } from "../../ports/transport.ts";
import { createRateLimit } from "../../rate-limit.ts";
import type { Grants } from "../../seat/grants.ts";
import { createGrants } from "../../seat/grants.ts";
import { configuredSource } from "../../sources/device-source.ts";
import { openInput } from "../../sources/open-input.ts";
import type { MachinePlan } from "../../supervisor/driver.ts";
import { openMachine } from "../../supervisor/opened.ts";
import type { Scope } from "../../supervisor/scope.ts";
import { createScope } from "../../supervisor/scope.ts";
import { systemFiles } from "../../system-files.ts";
import { messageOf } from "../finding.ts";
import type { Mark } from "./blink.ts";
import { blinkStep } from "./blink.ts";
import type { EndedStep, Step } from "./commissioning.ts";
import { failed, passed, runSteps, skipped } from "./commissioning.ts";
import { machineSteps } from "./machine-steps.ts";
import { fileMark, pageMark } from "./mark.ts";
import { pictureStep, pictureSteps } from "./picture-steps.ts";
import type { CommissioningReport } from "./report.ts";
import { reportFile, reportOf, reportPage } from "./report.ts";

export interface CommissionOrder {
  readonly machine: MachineConfig;
  /** Presses buttons, disables the machine, and plays a few games of its credit. */
  readonly acts: boolean;
  /** Who signs the report. */
  readonly by?: string | undefined;
  /** Ids of the steps that are wanted, with all that they build on; absent: all. */
  readonly only?: readonly string[] | undefined;
  /** The mark that measures how late the picture is, `page` or a file that switches a light. Nothing else is looked at then. */
  readonly blink?: string | undefined;
  /** Polls that measure the errors of a line; default 250. */
  readonly polls?: number | undefined;
  /** Where the report is written; absent: `commissioning` in the data folder. */
  readonly folder?: string | undefined;
}

const POLLS = 250;

export interface CommissionDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly wallNow: () => number;
  /** Called after each step, so that a person at the machine can follow. */
  readonly ended: (step: EndedStep) => void;
  /** A sentence about what happens beside the steps. */
  readonly problem: (sentence: string) => void;
}

/** The machine cannot be examined now; the message says why. */
export class CommissionRefused extends Error {}

/** The report and its two files. */
export interface Commissioned {
  readonly report: CommissioningReport;
  readonly files: { readonly json: string; readonly page: string };
}

/**
 * Walks one machine through its steps and writes the report. The machine is opened as the agent opens it: what happens at it goes to the journal,
 * and the platform receives it when the agent runs again. @throws CommissionRefused while an agent uses the data folder or a player has the seat.
 */
export async function commission(order: CommissionOrder, deps: CommissionDeps): Promise<Commissioned> {
  const { config, clock, wallNow } = deps;
  const { machine, by } = order;
  // That the machine is let go at the end is no news.
  let isEnding = false;
  const problem = (sentence: string): void => {
    if (!isEnding) deps.problem(sentence);
  };
  const scope = createScope((error) => problem(messageOf(error)));
  try {
    await mkdir(config.dataFolder, { recursive: true });
    const unlock = await lockFolder(config.dataFolder).catch((error: unknown) => {
      if (error instanceof FolderTaken)
        throw new CommissionRefused("The agent runs: stop it, so that it does not use the machine at the same time.");
      throw error;
    });
    scope.onEnd(unlock);
    const startedMs = wallNow();
    const { driver: name, id, brand } = machine;
    const journal = await openJournal({ files: systemFiles, folder: join(config.dataFolder, "journal") });
    scope.onEnd(() => journal.close());
    const grants = createGrants({ machineId: id, journal, clock });
    if (order.acts && grants.seat() !== undefined)
      throw new CommissionRefused("A player has the seat of this machine: end the play session first.");
    const steps = await allSteps(order, { ...deps, problem, journal, grants }, scope);
    const simulated = driverOf(machine).simulated || machine.demonstration === true;
    const head = { machine: { id, name: machine.name, brand, driver: name, simulated }, agent: manifest.version };
    const report = reportOf({ ...head, startedMs, endedMs: wallNow(), ...(by !== undefined && { by }) }, steps);
    return { report, files: await write(report, order.folder ?? join(config.dataFolder, "commissioning")) };
  } finally {
    isEnding = true;
    await scope.end();
  }
}

type OpeningDeps = CommissionDeps & { readonly journal: Journal; readonly grants: Grants };

/** What the driver's own doctor looks at, then what can be seen of the open machine. */
async function allSteps(order: CommissionOrder, deps: OpeningDeps, scope: Scope): Promise<EndedStep[]> {
  const { config, clock, wallNow, ended } = deps;
  if (order.blink !== undefined) return await runSteps(delaySteps(order.machine, order.blink, deps), clock, { ended });
  const { machine, acts, only, polls = POLLS } = order;
  const kind = driverOf(machine);
  const folder = machineFolder(config, machine);
  const examination = await kind.examine(machine, { clock, wallNow, folder, acts, polls });
  const own = new Set(examination.steps.map(({ id }) => id));
  const needsOpen = only?.some((id) => !own.has(id)) ?? true;
  const first =
    only && new Set([...only, ...(needsOpen ? [...examination.opensAfter, ...examination.pressesAfter] : [])]);
  const before = await runSteps(examination.steps, clock, { ended, only: first }).finally(() => examination.end());
  const rest = { ended, earlier: before, only: only && new Set(only) };
  if (!needsOpen) return before;
  const later =
    acts || kind.simulated
      ? await openedSteps(order, { ...deps, ...examination, before }, scope)
      : await unopenedSteps(order, deps);
  return [...before, ...(await runSteps(later, clock, rest))];
}

/** Only how late the picture is. */
function delaySteps(machine: MachineConfig, blink: string, deps: CommissionDeps): Step[] {
  const { config, clock, wallNow, problem } = deps;
  const { picture } = machine;
  const rest: Step = { id: "open", title: "Play", needs: [], run: async () => skipped("Only the delay was measured.") };
  if (!isCamera(picture)) throw new CommissionRefused("Its picture is made on this computer: no camera makes it late.");
  const source = configuredSource(
    { ...picture, delayMs: undefined },
    { kind: "none" },
    { clock, wallNow, openInput, problem },
  );
  const openMark = async (): Promise<Mark> =>
    blink === "page" ? await pageMark(clock, randomBytes(4).toString("hex")) : fileMark(blink, clock);
  const found = (delayMs: number): Promise<void> => storeDelay(machineFolder(config, machine), picture, delayMs);
  const random = (): number => (randomBytes(1)[0] ?? 0) / 255;
  const step = blinkStep({ source, clock, random, openMark, say: problem, encode: encodeWhole, found });
  return [pictureStep({ source, clock, encode: encodeWhole }), step, rest];
}

/** Opening a real machine enables it and takes its events, so a run that only looks goes no further than its picture. */
async function unopenedSteps({ machine }: CommissionOrder, deps: CommissionDeps): Promise<Step[]> {
  const unopened = skipped(
    "This run only looks: no button was pressed, nothing was disabled, and no money was ordered.",
  );
  const source = await sourceOf(machine, undefined, deps);
  const open: Step = { id: "open", title: "Play", needs: [], run: async () => unopened };
  return [pictureStep({ source, clock: deps.clock, encode: encodeWhole }), open];
}

async function openedSteps(
  order: CommissionOrder,
  deps: OpeningDeps & Omit<Examination, "steps" | "end"> & { readonly before: readonly EndedStep[] },
  scope: Scope,
): Promise<Step[]> {
  const { clock, opensAfter, pressesAfter, before } = deps;
  const closed = before.some(
    ({ id, outcome }) => opensAfter.includes(id) && outcome !== "passed" && outcome !== "noted",
  );
  // It is skipped, because a step that it needs did not pass.
  if (closed) return [{ id: "open", title: "Play", needs: opensAfter, run: async () => passed("") }];
  // A machine that has just answered is tried twice, as the agent tries again and again.
  const opened = await open(order, deps, scope)
    .catch(() => open(order, deps, scope))
    .catch((error: unknown) => messageOf(error));
  if (typeof opened === "string") {
    const run = async () => failed("machine.unreachable", `The machine cannot be opened: ${opened}`);
    return [{ id: "open", title: "Connection", needs: opensAfter, run }];
  }
  const steps = { ...opened, clock, acts: order.acts, pressesAfter, encode: encodeWhole };
  return machineSteps(steps, pictureSteps(steps));
}

/** Opens the machine with the agent's own machinery, without viewers and without the platform. */
async function open({ machine }: CommissionOrder, deps: OpeningDeps, scope: Scope) {
  const { config, clock, problem, journal, grants } = deps;
  const seed =
    config.simulated.seed ?? (await keptSecret(config.dataFolder, "seed", () => randomBytes(32).toString("hex")));
  const plan = machinePlans(config, { clock, seed, problem: (_id, sentence) => problem(sentence) }).find(
    ({ id }) => id === machine.id,
  );
  if (plan === undefined) throw new Error("it is not in the list of machines");
  let driver: Driver | undefined;
  const watched: MachinePlan = {
    ...plan,
    open: async (lastEvent) => {
      driver = await plan.open(lastEvent);
      return driver;
    },
  };
  const shared = {
    clock,
    journal,
    steps: publishStep,
    candidates: createRateLimit(clock, 1),
    staff: new Set<string>(),
    makeBroadcast: () => UNSEEN,
    problem: (_id: string, sentence: string) => problem(sentence),
  };
  const own = {
    grants,
    numbering: createQueue(),
    underWay: new UnderWay(),
    eventsJournalled: () => undefined,
    callFailed: () => undefined,
    callAnswered: () => undefined,
  };
  const { egm } = await openMachine(watched, { ...shared, ...own }, scope);
  const { glass, pressLonger } = driver ?? {};
  const patient = overridden(egm, { meters: () => readPatiently(egm, clock) });
  return { egm: patient, pressLonger, source: await sourceOf(machine, glass, deps) };
}

/** A machine that answers within this time is not silent: an answer may be lost, and a busy computer misses some, ms. */
const SILENT_MS = 6_000;
const AGAIN_MS = 100;

async function readPatiently(egm: Egm, clock: Clock): Promise<EgmMeters> {
  const endsAt = clock.now() + SILENT_MS;
  for (;;) {
    try {
      return await egm.meters();
    } catch (error) {
      if (clock.now() >= endsAt) throw error;
      await new Promise<void>((passed) => void clock.after(AGAIN_MS, passed));
    }
  }
}

/** A machine that is examined has no viewers. */
const UNSEEN: MachineBroadcast = {
  addViewer: () => Promise.reject(new OfferProblem("The machine is being examined.")),
  viewers: () => [],
  still: () => Promise.reject(new Error("The machine is being examined.")),
  stats: () => [],
  picturedAt: () => undefined,
  record: async () => undefined,
  gameBegan: () => undefined,
  close: async () => undefined,
};

/** The configured picture, else the one that the driver paints. */
async function sourceOf(
  machine: MachineConfig,
  glass: Driver["glass"],
  { config, clock, wallNow, problem }: CommissionDeps,
): Promise<Source | undefined> {
  const { picture } = machine;
  const deps = { clock, wallNow, openInput, problem };
  if (picture !== undefined) return configuredSource(picture, { kind: "none" }, deps);
  const kind = driverOf(machine);
  const painter = await kind.loadPainter?.();
  if (painter === undefined || glass === undefined) return undefined;
  const shown = glass;
  const painted = painter.open(kind.paint?.(machine, config.simulated), shown.view(), clock);
  shown.onChange(() => painted.show(shown.view()));
  return painted.source;
}

async function write(report: CommissioningReport, folder: string): Promise<Commissioned["files"]> {
  const base = join(resolve(folder), `${report.machine.id}-${report.startedAt.replaceAll(/[-:]|\.\d+/g, "")}`);
  const { json, digest } = reportFile(report);
  const files = { json: `${base}.json`, page: `${base}.html` };
  await mkdir(resolve(folder), { recursive: true });
  await writeFile(files.json, json);
  await writeFile(files.page, reportPage(report, digest));
  return files;
}
