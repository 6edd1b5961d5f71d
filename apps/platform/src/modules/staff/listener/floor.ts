import type { FloorMachine, Stop } from "@longarm/contract/staff-floor";
import type { Task } from "@longarm/contract/staff-tasks";
import { databaseTime } from "@longarm/database/clock";
import { sql } from "kysely";
import * as z from "zod/mini";
import type { CallsTables } from "../../play/calls.ts";
import { answerCall, closeCall } from "../../play/calls.ts";
import type { ControlTables, ModeChange } from "../../play/control/index.ts";
import { changeMode, modeKept, readWish, wishReservation } from "../../play/control/index.ts";
import type { DeskMachine } from "../../play/desk/index.ts";
import { deskFloor, deskMachine, deskMachineEvents, deskMachineGames, deskPulse } from "../../play/desk/index.ts";
import { listPlaySessions } from "../../play/operations/index.ts";
import type { QueueTables } from "../../play/queue/index.ts";
import { moveInQueue, queueAt } from "../../play/queue/index.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayer } from "../../players/accounts/index.ts";
import { openAudit } from "../../records/audit/index.ts";
import type { StaffTransaction } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import { listStops, lockStop, releaseStop, setStop, writeStopReason } from "../desk/index.ts";
import type { After, StaffCaller } from "../sign-in/index.ts";
import { actorOf, doAct, listSignIns, Refused, requestApproval } from "../sign-in/index.ts";
import type { ActsDeps, DeskDeps, Executes } from "./desk.ts";
import { askOrRefuse, dayBegan } from "./desk.ts";
import { listed } from "./people.ts";
import type { Handlers, Incoming } from "./routes.ts";

/** The floor, one machine and emergency stops. */
export function floorHandlers(deps: DeskDeps): Handlers {
  return { ...looking(deps), ...machines(deps), ...sessions(deps), ...stopHandlers(deps), ...calls(deps) };
}

/** A row of the floor as the wire has it. */
export function floorRow(
  { since: _since, handPay: _handPay, offline: _offline, agentId: _agent, ...machine }: DeskMachine,
  tasks: readonly Task[],
): FloorMachine {
  return { ...machine, needs: tasks.filter((task) => task.machine?.id === machine.id).map(({ id }) => id) };
}

function looking(deps: DeskDeps): Handlers {
  const { db, source } = deps;
  return {
    pulse: async ({ caller }) => {
      const pulse = await deskPulse(source, dayBegan(await databaseTime(db), deps));
      return { ...pulse, onShift: await onShift(deps, caller()) };
    },
    floor: async ({ caller }) => {
      const now = await deps.tasks.look();
      const open = now.of(caller());
      return await listed(
        db,
        now.floor.map((machine) => floorRow(machine, open)),
      );
    },
    machine: async ({ caller, params }) => {
      const id = machineId(params);
      const [row] = await deskFloor(source, id);
      const detail = row && (await deskMachine(source, id, seesPlayer(caller())));
      if (detail === undefined || row === undefined) throw new Refused("thing.unknown", { kind: "machine" });
      const open = (await deps.tasks.look()).of(caller()).filter((task) => task.machine?.id === id);
      return { machine: floorRow(row, open), ...detail, tasks: open };
    },
    machineEvents: async ({ params, query }) => {
      const { source: of, ...page } = query;
      if (of !== undefined && of !== "machine") return await listed(db, []);
      const { rows, next } = await deskMachineEvents(source, {
        ...page,
        after: page.after,
        machineId: machineId(params),
      });
      return await listed(db, rows, next);
    },
    machineGames: async ({ caller, params, query }) => {
      const { rows, next } = await deskMachineGames(source, {
        ...query,
        after: query.after,
        machineId: machineId(params),
        seesPlayer: seesPlayer(caller()),
      });
      return await listed(db, rows, next);
    },
    machineQueue: async ({ params }) => {
      const rows = await queueAt(source.withTables<QueueTables>(), machineId(params));
      return await listed(
        db,
        rows.map(({ playerId: id, player: username, joinedAt, calledUntil, ...row }) => ({
          ...row,
          player: { id, username },
          joinedAt: joinedAt.toISOString(),
          calledUntil: calledUntil?.toISOString() ?? null,
        })),
      );
    },
    stops: async () => await listed(db, await listStops(db, await deskFloor(source))),
  };
}

/** Whether the caller sees what a player won and lost. */
export const seesPlayer = ({ permissions }: StaffCaller): boolean => permissions.has("player.see");

/** Who is signed in, with how many tasks each has. */
async function onShift(deps: DeskDeps, caller: StaffCaller) {
  const open = (await deps.tasks.look()).of(caller);
  const people = new Map<string, { person: { id: string; name: string }; tasks: number; since: string }>();
  for (const { staffId, name, created_at } of await listSignIns(deps.db, Number.MAX_SAFE_INTEGER))
    people.set(staffId, {
      person: { id: staffId, name },
      tasks: open.filter(({ owner }) => owner?.id === staffId).length,
      since: created_at.toISOString(),
    });
  return [...people.values()];
}

const ID = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/));

/** The id of an address. @throws Refused `thing.unknown`: no id looks like it. */
export function idIn(params: Readonly<Record<string, string>>, kind: string): string {
  const read = z.safeParse(ID, params["id"]);
  if (!read.success) throw new Refused("thing.unknown", { kind });
  return read.data;
}
const machineId = (params: Readonly<Record<string, string>>): string => idIn(params, "machine");

/** Brings a machine to what was written down, once the act is committed. */
export function carryOut(
  { ask }: Pick<ActsDeps, "ask">,
  after: After,
  by: string,
  machineIds: readonly string[],
): void {
  after.push(async () => {
    await Promise.all(machineIds.map((id) => ask({ kind: "carryOut", machineId: id, body: {}, by })));
  });
}

function machines(deps: DeskDeps): Handlers {
  const mode =
    (change: ModeChange) =>
    ({ act, caller, params, body }: Pick<Incoming<"drain">, "act" | "caller" | "params" | "body">) =>
      doAct(deps, act(), async (trx, after) => {
        const id = machineId(params);
        const by = { by: caller().username, reason: body.reason };
        const changed = await changeMode(wholeOf(trx).withTables<ControlTables>(), id, change, by);
        if (changed.is === "unknown") throw new Refused("thing.unknown", { kind: "machine" });
        if (changed.is === "kept") throw new Refused("act.refused", { sentence: modeKept(id, change, changed.was) });
        carryOut(deps, after, caller().username, [id]);
        return {};
      });

  const reservation = async (
    trx: StaffTransaction,
    after: After,
    caller: StaffCaller,
    id: string,
    kept: { playerId: string; until: Date } | null,
  ) => {
    const control = wholeOf(trx).withTables<ControlTables>();
    const wish = await readWish(control, id);
    if (wish === undefined) throw new Refused("thing.unknown", { kind: "machine" });
    if (kept === null && wish.reservedFor === null)
      throw new Refused("act.refused", {
        sentence: `${id} is not reserved by staff. A call of its queue ends by moving the place.`,
      });
    await wishReservation(control, id, kept, caller.username);
    carryOut(deps, after, caller.username, [id]);
  };

  return {
    drain: mode("drain"),
    close: mode("disable"),
    open: mode("enable"),
    reserve: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx, after) => {
        const player = await findPlayer(wholeOf(trx).withTables<PlayersTables>(), body.player);
        if (player === undefined) throw new Refused("thing.unknown", { kind: "player" });
        const { rows } = await sql<{
          until: Date;
        }>`select clock_timestamp() + make_interval(mins => ${body.minutes}) as until`.execute(trx);
        const until = rows[0]?.until ?? new Date(0);
        await reservation(trx, after, caller(), machineId(params), { playerId: player.id, until });
        return {};
      }),
    moveInQueue: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx, after) => {
        const id = machineId(params);
        const queue = wholeOf(trx).withTables<QueueTables>();
        const moved = await moveInQueue(
          queue,
          { machineId: id, placeId: body.place, to: body.to },
          { audit: openAudit(trx, deps.node), actor: actorOf(caller()), reason: body.reason },
        );
        if (!moved) throw new Refused("act.refused", { sentence: `This player does not wait for ${id} any more.` });
        after.push(async () => {
          await deps.ask({ kind: "queue", machineId: id, body: {}, by: caller().username });
        });
        return {};
      }),
    endReservation: ({ act, caller, params }) =>
      doAct(deps, act(), async (trx, after) => {
        await reservation(trx, after, caller(), machineId(params), null);
        return {};
      }),
  };
}

function sessions(deps: DeskDeps): Handlers {
  const { source } = deps;
  return {
    endSession: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (_trx, after) => {
        const id = machineId(params);
        const wanted = { machineId: id, sessionId: body.session, openOnly: true, limit: 1 };
        if ((await listPlaySessions(source, wanted)).length === 0)
          throw new Refused("act.refused", { sentence: `No such play session runs at ${id}.` });
        after.push(() =>
          askOrRefuse(deps, {
            kind: "endSession",
            machineId: id,
            body: { playSessionId: body.session },
            by: caller().username,
          }),
        );
        return {};
      }),
    simulate: async ({ act, caller, params, body }) => {
      let sentence = "";
      const id = machineId(params);
      const outcome = await doAct(deps, act(), async (trx, after) => {
        const [machine] = await deskFloor(wholeOf(trx), id);
        if (machine === undefined) throw new Refused("thing.unknown", { kind: "machine" });
        if (!machine.simulated) throw new Refused("act.refused", { sentence: `${id} is a real machine.` });
        after.push(async () => {
          const order = { kind: "simulate", machineId: id, body: { what: body.what }, by: caller().username } as const;
          ({ sentence } = await askOrRefuse(deps, order));
        });
        return { sentence };
      });
      return outcome.is === "done" ? { ...outcome, result: { sentence } } : outcome;
    },
  };
}

/** Emergency stops, and their release by two people. */
export function stopHandlers(deps: ActsDeps): Handlers {
  const { db, source, random, secondPerson } = deps;
  return {
    stop: async ({ act, caller, body }) => {
      const outcome = await doAct(deps, act(), async (trx, after): Promise<Stop> => {
        const { id, machines } = await setStop(trx, random, { scope: body.scope, by: caller().staffId });
        carryOut(deps, after, caller().username, machines);
        return await shownStop(trx, id);
      });
      // A stop is committed before it is carried out: what it answers is how it is now.
      if (outcome.is !== "done") return outcome;
      const now = (await listStops(db, await deskFloor(source), outcome.result.id))[0];
      return now === undefined ? outcome : { ...outcome, result: now };
    },
    stopReason: ({ act, params, body }) =>
      doAct(deps, act(), async (trx) => {
        await writeStopReason(trx, idIn(params, "stop"), body.reason);
        return {};
      }),
    releaseStop: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx, after) => {
        const id = idIn(params, "stop");
        const { machines } = await lockStop(trx, id);
        if (!secondPerson) {
          const by = { by: caller().username, reason: body.reason, people: [caller().staffId] };
          carryOut(deps, after, caller().username, await releaseStop(trx, { id, ...by }));
          return {};
        }
        const stop = await shownStop(trx, id);
        return await requestApproval(trx, random, caller(), {
          kind: "stop.release",
          subject: `stop:${id}`,
          reason: body.reason,
          content: { stop: id, machines },
          evidence: stop.machines.map(({ machine, is, credit }) => ({
            label: machine.name,
            value: is,
            amount: credit,
          })),
        });
      }),
  };
}

async function shownStop(trx: StaffTransaction, id: string): Promise<Stop> {
  const [stop] = await listStops(trx, await deskFloor(wholeOf(trx)), id);
  if (stop === undefined) throw new Refused("thing.unknown", { kind: "stop" });
  return stop;
}

const StopRelease = z.strictObject({ stop: z.string(), machines: z.array(z.string()) });

/** What a second signature lets happen on the floor. */
export function floorExecutes(deps: DeskDeps): Executes {
  return {
    "stop.release": async (trx, content, { requestedBy, signedBy, reason, after }) => {
      const { stop } = z.parse(StopRelease, content);
      const people = await trx
        .selectFrom("staff")
        .select(["id", "username"])
        .where("id", "in", [requestedBy, signedBy])
        .execute();
      const by = people.find(({ id }) => id === requestedBy)?.username ?? requestedBy;
      const opened = await releaseStop(trx, { id: stop, by, reason, people: [requestedBy, signedBy] });
      carryOut(deps, after, by, opened);
    },
  };
}

function calls(deps: DeskDeps): Handlers {
  const change =
    (work: typeof answerCall) =>
    ({ act, caller, params }: Pick<Incoming<"takeCall">, "act" | "caller" | "params">) =>
      doAct(deps, act(), async (trx, after) => {
        const id = /^\d{1,15}$/.test(params["id"] ?? "") ? Number(params["id"]) : 0;
        const done = await work(wholeOf(trx).withTables<CallsTables>(), id, caller().username);
        if (done.is === "refused") throw new Refused("act.refused", { sentence: done.sentence });
        after.push(() => deps.ask({ kind: "call", body: { id }, by: caller().username }));
        return {};
      });
  return { takeCall: change(answerCall), closeCall: (call) => change(closeCall)(call) };
}
