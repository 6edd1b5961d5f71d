import type { Evidence, Step, StepResult } from "../../../doctor/commissioning/commissioning.ts";
import { failed, noted, passed } from "../../../doctor/commissioning/commissioning.ts";
import { messageOf } from "../../../doctor/finding.ts";
import { pollIfKnown, pollNow, probeMeters } from "../driver/facts.ts";
import type { SasLine } from "../line/line.ts";
import type { LockStatus } from "../protocol/aft.ts";
import { readLock, readRegistration } from "../protocol/aft.ts";
import { METER } from "../protocol/meters.ts";
import type { MachineTime } from "../protocol/polls.ts";
import {
  currentCredits,
  dateAndTime,
  denominationMinor,
  extendedMeters,
  features,
  gamesImplemented,
  machineIdentity,
  mainMeters,
  versionAndSerial,
} from "../protocol/polls.ts";
import type { Session } from "./session.ts";

/* What a machine answers about itself, by polls that only read. */

/** AFT is part of the protocol from here on. */
const VERSION_MIN = 600;
/** A machine's clock may differ from this computer's by so much, ms. */
const CLOCK_MS_MAX = 120_000;
const MINUTE_MS = 60_000;
/** A poll answers its moment; credit that moves between two polls is read again. */
const COMPARE_TRIES = 3;

export type ReadingStepsDeps = {
  readonly session: Session;
  readonly wallNow: () => number;
  /** Of the list of machines; undefined: the one that the machine has. */
  readonly assetNumber: number | undefined;
  /** The largest transfer that the list of machines allows, minor units. */
  readonly maxTransfer: number;
};

export function readingSteps(deps: ReadingStepsDeps): Step[] {
  const { session, wallNow } = deps;
  const reading = (id: string, title: string, run: (line: SasLine) => Promise<StepResult>): Step => ({
    ...{ id, title, needs: ["answer"] },
    run: () => session.reading(run),
  });
  return [
    reading("version", "Version and identity", version),
    reading("clock", "Clock", (line) => clock(line, wallNow)),
    reading("reported", "Meters that it reports", (line) => reported(line, session)),
    reading("registration", "AFT registration", (line) => registration(line, deps)),
  ];
}

async function version(line: SasLine): Promise<StepResult> {
  const known = await pollIfKnown(line, versionAndSerial());
  const identity = await pollIfKnown(line, machineIdentity());
  if (known === undefined || identity === undefined)
    return failed("polls.missing", `The machine does not answer poll ${known === undefined ? "54" : "1F"}.`);
  const has = await pollIfKnown(line, features());
  const evidence: Evidence = {
    version: known.version,
    serial: known.serial,
    game: `${identity.gameId}${identity.additionalId}`,
    paytable: identity.paytable,
    basePercent: identity.basePercent,
    games: (await pollIfKnown(line, gamesImplemented())) ?? 1,
    ...(has === undefined ? {} : { fastPolling: has.fastPolling, ticketRedemption: has.ticketRedemption }),
  };
  const says = `SAS ${known.version}, serial number ${known.serial}, game ${evidence["game"]}.`;
  if (!(Number(known.version) >= VERSION_MIN)) return failed("version.old", says, evidence);
  const minor = denominationMinor(identity.denomination);
  if (minor === undefined)
    return failed(
      "meters.denomination",
      `The machine counts in the denomination code ${identity.denomination}, which is not a whole number of minor units.`,
      evidence,
    );
  const all = { ...evidence, creditMinor: minor };
  return has === undefined ? noted(`${says} It does not say what it can do (poll A0).`, all) : passed(says, all);
}

async function clock(line: SasLine, wallNow: () => number): Promise<StepResult> {
  const time = await pollIfKnown(line, dateAndTime());
  if (time === undefined) return noted("The machine does not report the time.");
  const offMs = instantOf(time) - wallNow();
  const evidence = { machine: textOf(time), offMinutes: Math.round(offMs / MINUTE_MS) };
  if (Math.abs(offMs) <= CLOCK_MS_MAX) return passed(`The machine's clock says ${textOf(time)}.`, evidence);
  return failed(
    "clock.wrong",
    `The machine's clock says ${textOf(time)}, ${Math.abs(evidence.offMinutes)} minutes ${offMs > 0 ? "ahead of" : "behind"} this computer's.`,
    evidence,
  );
}

/** The machine's time has no zone: it is this computer's. */
const instantOf = ({ year, month, day, hour, minute, second }: MachineTime): number =>
  new Date(year, month - 1, day, hour, minute, second).getTime();

const two = (value: number): string => String(value).padStart(2, "0");
const textOf = ({ year, month, day, hour, minute, second }: MachineTime): string =>
  `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)}`;

async function reported(line: SasLine, session: Session): Promise<StepResult> {
  const found = await probeMeters(line).catch((error: unknown) => messageOf(error));
  if (typeof found === "string") return failed("meters.missing", found);
  const how = { extended: "6F", selected: "2F", single: "0F and 1A" }[found.meterPoll];
  const played = await gamesOf(line);
  const evidence = { polls: how, meters: found.meterCodes.length, games: played };
  const known = await session.known();
  if (known !== undefined && known.games > played)
    return failed(
      "meters.cleared",
      `The machine counts ${played} games, and the agent has seen it count ${known.games}.`,
      { ...evidence, gamesKnown: known.games },
    );
  const says = `${found.meterCodes.length} meters, read by poll ${how}.`;
  const value = await creditValue(line);
  if (value === undefined) return passed(says, evidence);
  const { meterMinor, aftMinor } = value;
  const all = { ...evidence, meterMinor, aftMinor };
  if (meterMinor !== aftMinor)
    return failed(
      "meters.denomination",
      `The credit meter is worth ${meterMinor} minor units, and the same credit is ${aftMinor} for a transfer.`,
      all,
    );
  if (meterMinor === 0)
    return noted(`${says} Without credit on the machine its denomination was not compared with its transfers.`, all);
  return found.meterPoll === "single"
    ? noted(`${says} Those of bills, tickets and transfers are missing.`, all)
    : passed(`${says} Credit meter and transfers have the same value.`, all);
}

async function gamesOf(line: SasLine): Promise<number> {
  const read = await pollIfKnown(line, extendedMeters(0, [METER.gamesPlayed]));
  return read?.get(METER.gamesPlayed) ?? (await pollNow(line, mainMeters())).gamesPlayed;
}

/** The credit meter in minor units, by its denomination and by AFT, which counts minor units itself. Undefined: one of them is not said. */
async function creditValue(line: SasLine): Promise<{ meterMinor: number; aftMinor: number } | undefined> {
  const identity = await pollIfKnown(line, machineIdentity());
  const minor = identity && denominationMinor(identity.denomination);
  if (minor === undefined) return undefined;
  let value: { meterMinor: number; aftMinor: number } | undefined;
  for (let tries = 0; tries < COMPARE_TRIES; tries += 1) {
    const funds = (await pollIfKnown(line, readLock()))?.funds;
    if (funds === undefined) return undefined;
    const meterMinor = (await pollNow(line, currentCredits())) * minor;
    value = { meterMinor, aftMinor: funds.cashable + funds.restricted + funds.nonRestricted };
    if (value.meterMinor === value.aftMinor) return value;
  }
  return value;
}

async function registration(
  line: SasLine,
  { session: { setup }, assetNumber: wanted, maxTransfer }: ReadingStepsDeps,
): Promise<StepResult> {
  const aft = await pollIfKnown(line, readLock());
  if (aft === undefined) return failed("aft.missing", "The machine does not answer poll 74.");
  const registered = await pollIfKnown(line, readRegistration());
  const { assetNumber } = aft;
  const evidence = {
    assetNumber,
    registration: registered?.status ?? "not said",
    historyPlaces: aft.historyPlaces,
    limitMinor: aft.limit,
    partialToHost: aft.aft.partialToHost,
    ...aft.available,
  };
  if (!aft.aft.any || !aft.aft.inHouse)
    return failed("aft.off", "The machine says that in-house transfers are switched off.", evidence);
  if (assetNumber === 0 && wanted === undefined)
    return failed("aft.noAsset", "The machine has no asset number, and the list of machines has none.", evidence);
  if (assetNumber !== 0 && wanted !== undefined && assetNumber !== wanted)
    return failed(
      "aft.asset",
      `The machine has the asset number ${assetNumber}, and the list of machines says ${wanted}.`,
      evidence,
    );
  if (aft.limit < maxTransfer)
    return failed(
      "aft.limit",
      `The machine moves at most ${aft.limit} minor units at once, and the list of machines allows ${maxTransfer}.`,
      { ...evidence, maxTransfer },
    );
  if (isBlocked(aft)) {
    const says = "The machine says that no money can be moved now.";
    return setup.acts
      ? noted(`${says} What it reports when it is opened says why.`, evidence)
      : failed("state.blocked", says, evidence);
  }
  if (assetNumber === 0) return noted(`The agent gives the machine the asset number ${wanted}.`, evidence);
  return passed(`AFT is on, asset number ${assetNumber}, registration: ${evidence.registration}.`, evidence);
}

export const isBlocked = ({ available }: LockStatus): boolean => !available.toMachine && !available.fromMachine;
