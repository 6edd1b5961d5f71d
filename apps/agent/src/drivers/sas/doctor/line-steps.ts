import type { Step, StepResult } from "../../../doctor/commissioning/commissioning.ts";
import { failed, noted, passed, until } from "../../../doctor/commissioning/commissioning.ts";
import type { SasLine } from "../line/line.ts";
import { exceptionName } from "../protocol/events.ts";
import type { LongPoll } from "../protocol/polls.ts";
import { currentCredits, mainMeters, versionAndSerial } from "../protocol/polls.ts";
import type { LookLine } from "./look-line.ts";
import type { Session } from "./session.ts";
import { eventWaits } from "./session.ts";

/* From the port to the first answer: what carries the line, who is at its other end, and how well they receive each other. */

const CONNECT_MS = 4_000;
/** A front end that has another host closes the connection within this time, ms. */
const KEPT_MS = 300;
/** A machine that misses its polls calls every 200 ms. */
const CALLS_MS = 700;
/** A machine may call this often before it receives the first of several polls. */
const CALLS_BEFORE_POLL_MAX = 2;
/** More errors of a thousand polls than this are a fault of the line; fewer are worth knowing. */
const ERRORS_MAX = 10;
const THOUSAND = 1_000;

export type LineStepsDeps = {
  readonly session: Session;
  /** Longest silence inside an answer that the line allows, ms. */
  readonly pauseMsMax: number;
  /** Polls that measure the errors. */
  readonly polls: number;
};

export function lineSteps({ session, pauseMsMax, polls }: LineStepsDeps): Step[] {
  const { timing } = session.setup;
  return [
    { id: "port", title: "Port", needs: [], run: async () => port(session, await session.look()) },
    { id: "answer", title: "First answer", needs: ["port"], run: async () => answer(session, await session.look()) },
    {
      id: "errors",
      title: "Errors on the line",
      needs: ["answer"],
      withinMs: 30_000 + polls * timing.pollMs * 4,
      run: () => session.reading((line) => errors(line, session, pauseMsMax, polls)),
    },
  ];
}

const placeOf = ({ carrier }: Session["setup"]): string =>
  carrier.kind === "tcp" ? `${carrier.host}:${carrier.port}` : carrier.device;

async function port({ setup }: Session, line: LookLine): Promise<StepResult> {
  const { clock } = setup;
  const where = placeOf(setup);
  let since: number | undefined;
  const open = await until(clock, CONNECT_MS, async () => {
    since = line.state().up ? (since ?? clock.now()) : undefined;
    const { hasGreeted = true } = line.seen();
    return since !== undefined && hasGreeted && clock.now() - since >= KEPT_MS ? true : undefined;
  });
  if (open) return passed(`${where} is open.`, { port: where });
  if (!line.state().up) return closedPort(where, line);
  const says = `${where} takes the connection and does not say its version of the framing.`;
  return failed("port.foreign", says, { port: where });
}

const closedPort = (port: string, line: LookLine): StepResult =>
  failed(`port.${line.seen().portFault ?? "away"}`, line.state().why, { port });

async function answer(session: Session, line: LookLine): Promise<StepResult> {
  const { address } = session.setup;
  if (await answers(line)) return passed(`The machine at address ${address} answers.`, { address });
  const waiting = session.waiting();
  if (waiting !== undefined)
    return session.setup.acts
      ? passed(`The machine answers, and wants to report: ${exceptionName(waiting.code)}.`)
      : eventWaits(waiting.code);
  if (!line.state().up) return closedPort(placeOf(session.setup), line);
  const { busy, garbled } = line.counters();
  const { damaged } = line.seen();
  if (busy > 0) return failed("line.busy", "The machine answers nothing but that it is busy.", { busy });
  if (damaged > 0) return wrongSpeed(damaged);
  if (garbled > 0)
    return failed("line.errors", "The machine answers, and none of its answers can be read.", { garbled });
  return whySilent(session, line);
}

/** A program may lack one of these polls; all three at once are a line that does not work. */
async function answers(line: LookLine): Promise<boolean> {
  const polls: readonly LongPoll<unknown>[] = [versionAndSerial(), currentCredits(), mainMeters()];
  for (const poll of polls) {
    const { is } = await line.poll(poll);
    if (is === "answered" || is === "refused") return true;
  }
  return false;
}

const wrongSpeed = (damaged: number): StepResult =>
  failed("line.speed", "Characters come from the machine, and not one of them arrives whole.", { damaged });

/** A machine that is not polled calls with its address: that proves its way to us, and polls that do not end the calls do not reach it. */
async function whySilent({ setup }: Session, line: LookLine): Promise<StepResult> {
  const { clock, timing, address } = setup;
  const called = await callOf(clock, line, timing.loopBreakMs + CALLS_MS);
  const { damaged } = line.seen();
  if (called === undefined)
    return damaged > 0 ? wrongSpeed(damaged) : failed("line.silent", "Not one character comes from the machine.");
  if (called !== address)
    return failed(
      "line.address",
      `The machine calls with address ${called}, and the list of machines says ${address}.`,
      {
        address,
        called,
      },
    );
  const before = line.counters().chirps;
  await answers(line);
  const calledMeanwhile = line.counters().chirps - before;
  const evidence = { calledMeanwhile };
  if (calledMeanwhile > CALLS_BEFORE_POLL_MAX)
    return failed(
      "line.wakeup",
      "The machine calls all the time, also while it is polled: it does not receive the polls.",
      evidence,
    );
  return failed(
    "line.torn",
    "The machine calls only when it is not polled, and answers no poll: it receives the first byte of each and not the others.",
    evidence,
  );
}

/** The address with which the machine calls twice in a row, because noise may look like one call. Undefined: it does not call. */
async function callOf(clock: Session["setup"]["clock"], line: LookLine, withinMs: number): Promise<number | undefined> {
  let last = line.counters();
  let address: number | undefined;
  return await until(clock, withinMs, async () => {
    const now = line.counters();
    if (now.chirps === last.chirps) return undefined;
    const isSame = address === now.chirpAddress;
    last = now;
    address = now.chirpAddress;
    return isSame ? address : undefined;
  });
}

async function errors(line: SasLine, session: Session, pauseMsMax: number, polls: number): Promise<StepResult> {
  const before = line.counters();
  for (let sent = 0; sent < polls; sent += 1) await line.poll(versionAndSerial());
  const now = line.counters();
  const sent = now.polls - before.polls;
  const wrong = now.garbled + now.silent + now.unreadable - before.garbled - before.silent - before.unreadable;
  const perThousand = Math.round((wrong * THOUSAND) / Math.max(1, sent));
  const { longestGapMs } = (await session.look()).seen();
  const evidence = {
    polls: sent,
    errors: wrong,
    perThousand,
    ...(longestGapMs > 0 && { longestPauseMs: longestGapMs }),
    ...(now.wakeupGapMs !== undefined && { wakeupGapMs: now.wakeupGapMs }),
  };
  const says = `${wrong} of ${sent} polls had no answer or a damaged one, ${perThousand} per thousand.`;
  if (longestGapMs > pauseMsMax)
    return failed(
      "line.pauses",
      `The machine pauses up to ${longestGapMs} ms inside its answers; its profile allows ${pauseMsMax} ms. ${says}`,
      evidence,
    );
  if (perThousand > ERRORS_MAX) return failed("line.errors", says, evidence);
  return wrong === 0 ? passed(says, evidence) : noted(says, evidence);
}
