import { createHash } from "node:crypto";
import type { IntegrationCallName, IntegrationProblemName, integrationCalls } from "@longarm/contract/integration";
import { WATCH_KEY_DAYS_MAX, WATCH_KEYS_MAX } from "@longarm/contract/integration";
import { databaseTime } from "@longarm/database/clock";
import type { Ledger } from "@longarm/ledger/ledger";
import type { Kysely } from "kysely";
import type * as z from "zod/mini";
import type { PasswordCost } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import { deskPlaySessions } from "../../play/desk/index.ts";
import { machineExists } from "../../play/machines.ts";
import { balancesOf } from "../../play/wallet/index.ts";
import type { Player, PlayersTables } from "../../players/accounts/index.ts";
import { createPlayers, findPlayer, findPlayerByName, newPlayerPassword } from "../../players/accounts/index.ts";
import { makeLoginLink } from "../../players/auth/index.ts";
import { breakOf } from "../../protection/breaks/index.ts";
import type { LimitName, LimitsTables } from "../../protection/limits/index.ts";
import {
  holdsFrom,
  limitNameOf,
  limitPartsOf,
  limitsOf,
  lockLimits,
  setLimit,
  standingLimits,
} from "../../protection/limits/index.ts";
import type { HistoryTables } from "../../records/history/index.ts";
import { lastGames } from "../../records/history/index.ts";
import { makeReport, moveMoney } from "../../staff/desk/index.ts";
import type { Integration } from "../keys/index.ts";
import { actorOf, linkedPlayer, linkPlayer } from "../keys/index.ts";
import { addWatchKey, endWatchKey, listWatchKeys } from "../whep/index.ts";

/** Thrown where a call is refused: what the call changed is taken back, and the caller gets the problem. */
export class IntegrationRefused extends Error {
  override readonly name = "IntegrationRefused";
  readonly problem: IntegrationProblemName;
  readonly more: { readonly detail?: string; readonly reason?: string };
  constructor(problem: IntegrationProblemName, more: IntegrationRefused["more"] = {}) {
    super(problem);
    this.problem = problem;
    this.more = more;
  }
}

/** What happens once the transaction is committed. */
export type Afterwards = { readonly balanceOf: string } | { readonly limitsOf: string };

type Calls = typeof integrationCalls;
type Part<Name extends IntegrationCallName, Key extends "query" | "body"> = Calls[Name] extends {
  readonly [K in Key]: infer S extends z.ZodMiniType;
}
  ? z.output<S>
  : undefined;

export type Incoming<Name extends IntegrationCallName> = {
  /** Of a POST its transaction. */
  readonly db: Kysely<unknown>;
  readonly integration: Integration;
  /** Of the address; empty: the call has none. */
  readonly externalId: string;
  /** Of a POST. */
  readonly key: string;
  readonly query: Part<Name, "query">;
  readonly body: Part<Name, "body">;
  readonly after: Afterwards[];
};

/** What answers each call. */
export type Handlers = {
  readonly [Name in IntegrationCallName]: (incoming: Incoming<Name>) => Promise<z.input<Calls[Name]["answer"]>>;
};

export type HandlerDeps = {
  readonly ledger: Ledger;
  readonly random: Random;
  readonly timeZone: string;
  /** Players' money is in a wallet of the operator. */
  readonly operatorWallet: boolean;
  readonly passwordCost: PasswordCost | undefined;
};

/** Only players of the integration itself. @throws IntegrationRefused. */
async function playerOf({
  db,
  integration,
  externalId,
}: Pick<Incoming<"player">, "db" | "integration" | "externalId">): Promise<Player> {
  const playerId = await linkedPlayer(db, integration.id, externalId);
  const player = playerId === undefined ? undefined : await findPlayer(db.withTables<PlayersTables>(), playerId);
  if (player === undefined) throw new IntegrationRefused("player.unknown");
  return player;
}

export function integrationHandlers(deps: HandlerDeps): Handlers {
  return { ...accounts(deps), ...money(deps), ...protection(deps), ...records(), ...watching(deps) };
}

function accounts(deps: HandlerDeps): Pick<Handlers, "addPlayer" | "linkPlayer" | "player" | "loginLink"> {
  const { ledger, random, passwordCost } = deps;
  async function linked(
    { db, integration }: Incoming<"linkPlayer">,
    externalId: string,
    player: Pick<Player, "id" | "username">,
  ) {
    if (!(await linkPlayer(db, { integrationId: integration.id, externalId, playerId: player.id })))
      throw new IntegrationRefused("player.linked");
    return { externalId, player: player.id, username: player.username };
  }
  return {
    async addPlayer(incoming) {
      const { db, body } = incoming;
      const { externalId, ...profile } = body;
      const given = Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined));
      const players = await createPlayers({
        db: { kysely: db },
        ledger: ledger.within(db),
        random,
        ...(passwordCost !== undefined && { passwordCost }),
      });
      const added = await players.add({ ...given, username: body.username, password: newPlayerPassword(random) });
      if (added.is === "refused") throw new IntegrationRefused("request.invalid", { detail: added.sentence });
      if (added.is === "known") throw new IntegrationRefused("player.nameTaken");
      return await linked(incoming as never, externalId, { id: added.id, username: body.username.trim() });
    },
    async linkPlayer(incoming) {
      const { db, body } = incoming;
      const player = await findPlayerByName(db.withTables<PlayersTables>(), body.username);
      if (player === undefined) throw new IntegrationRefused("player.unknown");
      return await linked(incoming, body.externalId, player);
    },
    async player(incoming) {
      const { id: player, username, banned_at, created_at } = await playerOf(incoming);
      const state = banned_at === null ? "active" : "banned";
      return { externalId: incoming.externalId, player, username, state, addedAt: created_at.toISOString() };
    },
    async loginLink(incoming) {
      const { db, integration, body } = incoming;
      const { id: playerId, banned_at } = await playerOf(incoming);
      if (banned_at !== null) throw new IntegrationRefused("player.banned");
      const made = await makeLoginLink(db, random, { playerId, by: actorOf(integration), address: body.address });
      return { code: made.code, expiresAt: made.expiresAt.toISOString() };
    },
  };
}

function money({ ledger, operatorWallet }: HandlerDeps): Pick<Handlers, "balance" | "deposit" | "withdraw"> {
  async function moved(incoming: Incoming<"deposit"> | Incoming<"withdraw">, kind: "deposit" | "withdraw") {
    const { db, integration, key, body, after } = incoming;
    const { id: playerId } = await playerOf(incoming);
    if (operatorWallet) throw new IntegrationRefused("wallet.operators");
    // Ids of two integrations never meet, and fit into the ledger's.
    const id = createHash("sha256").update(`${integration.id}/${key}`).digest("hex").slice(0, 40);
    const done = await moveMoney(db, ledger.within(db), {
      ...{ kind, id, from: "integration", playerId, amountMinor: body.amount, actor: actorOf(integration) },
      reason: body.reason,
    });
    after.push({ balanceOf: playerId });
    return { transfer: done.transferId, amount: body.amount, before: done.before, after: done.after };
  }
  return {
    async balance(incoming) {
      const { id } = await playerOf(incoming);
      const { balance = 0, onMachine = 0, pending = 0 } = (await balancesOf(incoming.db, [id])).get(id) ?? {};
      const wallet = operatorWallet ? "operator" : "longarm";
      return { available: balance, onMachine, beingChecked: pending, wallet };
    },
    deposit: (incoming) => moved(incoming, "deposit"),
    withdraw: (incoming) => moved(incoming, "withdraw"),
  };
}

async function protectionOf(db: Kysely<LimitsTables>, playerId: string) {
  const standing = await standingLimits(db, playerId);
  const { exclusion } = await limitsOf(db, { playerId });
  const onBreak = await breakOf(db as unknown as Kysely<unknown>, playerId);
  return {
    limits: standing.flatMap((one) => {
      const limit = limitNameOf(one);
      const { value, owner: by, effectiveAt, holds } = one;
      return limit === "exclusion" ? [] : [{ limit, value, by, from: effectiveAt.toISOString(), holds }];
    }),
    excludedUntil: exclusion === null ? null : new Date(exclusion).toISOString(),
    break: onBreak === undefined ? null : { kind: onBreak.kind, until: onBreak.until.toISOString() },
  };
}

function protection({ timeZone }: HandlerDeps): Pick<Handlers, "protection" | "setLimit" | "exclude"> {
  /** Nothing that protects a player becomes looser by a program. */
  async function set(incoming: Incoming<"setLimit"> | Incoming<"exclude">, name: LimitName, value: number) {
    const { integration, after } = incoming;
    const { id: playerId } = await playerOf(incoming);
    const db = incoming.db.withTables<LimitsTables>();
    const order = {
      playerId,
      ...limitPartsOf(name),
      owner: "house",
      value,
      by: actorOf(integration),
      timeZone,
    } as const;
    await lockLimits(db, playerId);
    if ((await holdsFrom(db, order)) === "later") throw new IntegrationRefused("limit.looser");
    await setLimit(db, order);
    after.push({ limitsOf: playerId });
    return await protectionOf(db, playerId);
  }
  return {
    protection: async (incoming) =>
      await protectionOf(incoming.db.withTables<LimitsTables>(), (await playerOf(incoming)).id),
    setLimit: (incoming) => set(incoming, incoming.body.limit, incoming.body.value),
    async exclude(incoming) {
      const until = Date.parse(incoming.body.until);
      if (until <= (await databaseTime(incoming.db)).getTime())
        throw new IntegrationRefused("request.invalid", { detail: "until must be to come." });
      return await set(incoming, "exclusion", until);
    },
  };
}

function records(): Pick<Handlers, "playSessions" | "games" | "dailyReport"> {
  return {
    async playSessions(incoming) {
      const { after, limit } = incoming.query;
      return await deskPlaySessions(incoming.db, { playerId: (await playerOf(incoming)).id, after, limit });
    },
    async games(incoming) {
      const { id } = await playerOf(incoming);
      return { games: await lastGames(incoming.db.withTables<HistoryTables>(), id, incoming.query.session) };
    },
    async dailyReport({ db, query: { day } }) {
      const { asOf, rows, total } = await makeReport(db, { from: day, to: day, by: "machine" });
      const machines = rows.map(({ key: id, name, figures }) => ({ machine: { id, name }, figures }));
      return { day, asOf, machines, all: total };
    },
  };
}

const DAY_MS = 86_400_000;

/** Keys to watch that the integration itself makes and ends. */
function watching({ random }: HandlerDeps): Pick<Handlers, "addWatchKey" | "watchKeys" | "endWatchKey"> {
  const invalid = (detail: string) => new IntegrationRefused("request.invalid", { detail });
  return {
    async addWatchKey({ db, integration, body: { name, machines, until, watches: watchesMax } }) {
      const [by, endsAt, nowMs] = [actorOf(integration), new Date(until), (await databaseTime(db)).getTime()];
      const msAhead = endsAt.getTime() - nowMs;
      if (!(msAhead > 0 && msAhead <= WATCH_KEY_DAYS_MAX * DAY_MS))
        throw invalid(`until must be to come, within ${WATCH_KEY_DAYS_MAX} days.`);
      for (const id of new Set(machines ?? []))
        if (!(await machineExists(db, id))) throw invalid(`machines: there is no machine ${id}.`);
      const others = (await listWatchKeys(db, by)).filter((key) => key.name !== name);
      if (others.length >= WATCH_KEYS_MAX) throw new IntegrationRefused("watchKey.tooMany");
      const made = await addWatchKey(db, random, { ...{ name, machines, watchesMax, endsAt, by }, replaces: true });
      if (made === undefined) throw new IntegrationRefused("watchKey.taken");
      return { name, token: made.token, until: endsAt.toISOString() };
    },
    async watchKeys({ db, integration }) {
      const found = await listWatchKeys(db, actorOf(integration));
      const keys = found.map(({ name, machines, watchesMax: watches, endsAt, watches: now }) => ({
        ...{ name, machines: machines === null ? null : [...machines], watches },
        ...{ until: endsAt.toISOString(), watching: now },
      }));
      return { keys };
    },
    async endWatchKey({ db, integration, body: { name } }) {
      if (!(await endWatchKey(db, name, actorOf(integration)))) throw new IntegrationRefused("watchKey.unknown");
      return { name };
    },
  };
}
