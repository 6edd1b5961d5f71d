import type { agentLink, MoneyCommand } from "@longarm/contract/agent-link";
import type { SimulatedEvent } from "@longarm/contract/machine";
import type { Handled } from "@longarm/link/answer";
import { done, refused } from "@longarm/link/answer";
import type { PeerOptions } from "@longarm/link/peer";
import type { Journal } from "../journal/journal.ts";
import { wireMeters, wireState, wireTotals } from "../machine/wire.ts";
import type { Direction } from "../money/desk.ts";
import { orderWhileClosed, readBackWhileClosed } from "../money/desk.ts";
import type { Clock } from "../ports/clock.ts";
import type { Egm } from "../ports/egm.ts";
import type { Records } from "../recording/records.ts";
import type { SupervisedMachine } from "../supervisor/machine.ts";
import type { OpenedMachine } from "../supervisor/opened.ts";

type Options = PeerOptions<typeof agentLink, "client">;
export type AgentHandlers = Options["handlers"];
export type AgentListeners = NonNullable<Options["listeners"]>;
type Refused = Extract<Handled<never>, { is: "refused" }>;

export type HandlerDeps = {
  readonly machine: (machineId: string) => SupervisedMachine | undefined;
  readonly journal: Journal;
  /** Puts a still to the platform; rejects with a sentence. */
  readonly putStill: (machineId: string, webp: Uint8Array) => Promise<void>;
  /** Absent: play is not recorded. */
  readonly records?: Records | undefined;
  readonly clock: Pick<Clock, "now">;
};

/** Everything the platform may ask an agent. Only finds the right machine and maps outcomes; rules live in the machine's parts. */
export function agentHandlers(deps: HandlerDeps): AgentHandlers {
  return {
    ...seatHandlers(deps),
    ...viewerHandlers(deps),
    ...moneyHandlers(deps),
    ...egmHandlers(deps),
    ...recordHandlers(deps),
    "egm.simulate": (ask) => simulate(deps, ask),
  };
}

function recordHandlers({ records, clock }: HandlerDeps): Pick<AgentHandlers, "recording.clip" | "recording.hold"> {
  return {
    "recording.clip": async (wanted) => done({ clock: clock.now(), found: records?.clip(wanted) ?? false }),
    "recording.hold": async ({ machineId, playSessionId, caseId, held }) =>
      done({ found: (await records?.hold(machineId, playSessionId, caseId, held)) ?? false }),
  };
}

/** Refuses with a sentence what the machine cannot pretend. */
async function simulate({ machine }: HandlerDeps, { machineId, what }: { machineId: string; what: SimulatedEvent }) {
  const found = machine(machineId);
  if (found === undefined) return unknownMachine(machineId);
  try {
    return done({ said: await found.simulate(what) });
  } catch (error) {
    return refused("request.invalid", {
      detail: (error instanceof Error ? error.message : String(error)).slice(0, 300),
    });
  }
}

function seatHandlers({ machine }: HandlerDeps): Pick<AgentHandlers, "seat.grant" | "seat.renew" | "seat.revoke"> {
  const grant: AgentHandlers["seat.grant"] = async (asked) => {
    const found = machine(asked.machineId);
    return found === undefined ? unknownMachine(asked.machineId) : await seatAnswer(found.grants.grant(asked));
  };
  return {
    "seat.grant": grant,
    "seat.renew": grant,
    "seat.revoke": async ({ machineId, epoch }) => {
      const found = machine(machineId);
      return found === undefined ? unknownMachine(machineId) : await seatAnswer(found.grants.revoke(epoch));
    },
  };
}

function viewerHandlers(deps: HandlerDeps): Pick<AgentHandlers, "rtc.offer" | "rtc.close" | "press" | "still.take"> {
  return {
    "rtc.offer": ({ machineId, ...offer }) => onOpen(deps, machineId, ({ viewers }) => viewers.offer(offer)),
    "rtc.close": ({ machineId, viewerId }) =>
      onOpen(deps, machineId, async ({ viewers }) => done(await nothing(viewers.close(viewerId)))),
    press: ({ machineId, ...press }) =>
      onOpen(deps, machineId, async ({ pressGuard }) => {
        const reply = await pressGuard.press(press);
        // Silence over this link would look like a lost frame; the page waits for its meters either way.
        return reply === undefined ? silent(machineId) : done(reply);
      }),
    "still.take": ({ machineId }) =>
      onEgm(deps, machineId, async ({ broadcast }) => nothing(deps.putStill(machineId, await broadcast.still()))),
  };
}

function moneyHandlers(deps: HandlerDeps): Pick<AgentHandlers, "egm.cashIn" | "egm.cashOut" | "egm.transfer"> {
  const { machine, journal } = deps;
  async function order(direction: Direction, command: MoneyCommand) {
    const found = machine(command.machineId);
    if (found === undefined) return unknownMachine(command.machineId);
    const money = found.opened()?.money;
    if (money !== undefined) return await money.order(direction, command);
    return orderWhileClosed({ journal, underWay: found.underWay }, direction, command);
  }
  return {
    "egm.cashIn": (command) => order("cashIn", command),
    "egm.cashOut": (command) => order("cashOut", command),
    "egm.transfer": async ({ machineId, transferId }) => {
      const found = machine(machineId);
      if (found === undefined) return unknownMachine(machineId);
      const money = found.opened()?.money;
      return money === undefined
        ? readBackWhileClosed(journal, machineId, transferId)
        : await money.readBack(transferId);
    },
  };
}

function egmHandlers(
  deps: HandlerDeps,
): Pick<AgentHandlers, "egm.about" | "egm.enable" | "egm.disable" | "egm.resetHandPay" | "egm.meters"> {
  return {
    "egm.about": ({ machineId }) => onOpen(deps, machineId, async (opened) => done(opened.about())),
    "egm.enable": ({ machineId }) => onDisabling(deps, machineId, (egm) => egm.enable()),
    "egm.disable": ({ machineId }) => onDisabling(deps, machineId, (egm) => egm.disable()),
    // A hand pay that was reset already is what was asked for.
    "egm.resetHandPay": ({ machineId, handPayId }) =>
      onEgm(deps, machineId, ({ egm }) => nothing(egm.resetHandPay(handPayId))),
    "egm.meters": ({ machineId }) =>
      onEgm(deps, machineId, async ({ egm, meters: watch }) => {
        const meters = await egm.meters();
        watch.sendAgain();
        // Asked behind the meters: what they count is told, or waits in the journal or still in the machine.
        const eventsWait =
          deps.journal.machine(machineId).waiting.length > 0 || (await egm.nextEvents(1)).events.length > 0;
        return { state: wireState(meters), meters: wireMeters(meters), totals: wireTotals(meters.totals), eventsWait };
      }),
  };
}

/** Runs on an open machine. Refuses with: machine.unreachable. */
async function onOpen<T>(
  { machine }: HandlerDeps,
  id: string,
  run: (opened: OpenedMachine) => Promise<Handled<T>>,
): Promise<Handled<T>> {
  const found = machine(id);
  if (found === undefined) return unknownMachine(id);
  const opened = found.opened();
  return opened === undefined ? silent(id) : await run(opened);
}

/** Calls the machine itself; its silence is a refusal that may be asked again, for calls that may be repeated. */
function onEgm<T>(deps: HandlerDeps, id: string, run: (opened: OpenedMachine) => Promise<T>): Promise<Handled<T>> {
  return onOpen(deps, id, async (opened) => {
    try {
      return done(await run(opened));
    } catch (error) {
      return silent(id, error);
    }
  });
}

/** Enables or disables. Refuses with: machine.not_available (the machine's protocol cannot), machine.unreachable. */
function onDisabling(deps: HandlerDeps, id: string, run: (egm: Egm) => Promise<void>): Promise<Handled<Empty>> {
  return onOpen(deps, id, async ({ egm }) => {
    if (!egm.description.capabilities.disables) {
      const detail = `The machine "${id}" cannot be enabled or disabled from here: use its own switch.`;
      return refused("machine.not_available", { detail });
    }
    try {
      return done(await nothing(run(egm)));
    } catch (error) {
      return silent(id, error);
    }
  });
}

export function agentListeners(deps: HandlerDeps): AgentListeners {
  return {
    "rtc.candidate": ({ machineId, viewerId, candidate, sdpMid }) =>
      deps
        .machine(machineId)
        ?.opened()
        ?.viewers.candidate(viewerId, { candidate, sdpMid: sdpMid ?? null }),
  };
}

function unknownMachine(id: string): Refused {
  return refused("machine.unreachable", { detail: `This agent has no machine "${id}".` });
}

function silent(id: string, error?: unknown): Refused {
  const why = error instanceof Error ? ` (${error.message})` : "";
  return refused("machine.unreachable", { detail: `The machine "${id}" does not answer${why}.`.slice(0, 300) });
}

async function seatAnswer(refusal: Promise<string | undefined>): Promise<Handled<Record<string, never>>> {
  try {
    return (await refusal) === undefined ? done({}) : refused("seat.stale_epoch");
  } catch (error) {
    return refused("machine.unreachable", { detail: error instanceof Error ? error.message : String(error) });
  }
}

type Empty = Record<string, never>;

async function nothing(work: Promise<unknown>): Promise<Empty> {
  await work;
  return {};
}
