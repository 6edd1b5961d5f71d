import type { OwnLimits } from "@longarm/contract/player-limits";
import type { LimitSubject } from "@longarm/contract/player-protection";
import type { PlayerDetail, PlayerLimits, PlayerRow, WalletRow } from "@longarm/contract/staff-money";
import { REMOTE_MOVES_MAX } from "@longarm/contract/staff-money";
import { databaseTime } from "@longarm/database/clock";
import { openLedger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import * as z from "zod/mini";
import { newId } from "../../../random.ts";
import { countedNow } from "../../play/counted.ts";
import { deskPlaySessions } from "../../play/desk/index.ts";
import { seatsOfPlayers } from "../../play/seat/index.ts";
import { balancesOf } from "../../play/wallet/index.ts";
import type { Player, PlayersTables } from "../../players/accounts/index.ts";
import {
  createPlayers,
  findPlayer,
  newPlayerPassword,
  searchPlayers,
  setBanned,
} from "../../players/accounts/index.ts";
import type { AuthTables } from "../../players/auth/index.ts";
import { endSessions, openSessionsOf } from "../../players/auth/index.ts";
import type { PasskeyTables } from "../../players/passkeys/index.ts";
import { keysOf, removeAllKeys } from "../../players/passkeys/index.ts";
import type { PromotionsTables } from "../../players/promotions/index.ts";
import { grantBonus, grantedSince, startedAloneSince } from "../../players/promotions/index.ts";
import { breaksOf, playersOnBreak } from "../../protection/breaks/index.ts";
import type { LimitName, LimitsTables, Standing } from "../../protection/limits/index.ts";
import {
  holdsFrom,
  limitNameOf,
  limitPartsOf,
  limitsOf,
  limitsOfAll,
  OWN_LIMIT,
  playersWithLimits,
  setLimit,
  standingLimits,
} from "../../protection/limits/index.ts";
import { ownLimits } from "../../protection/own-limits/index.ts";
import type { HistoryTables } from "../../records/history/index.ts";
import { lastGames, readStatement } from "../../records/history/index.ts";
import { shownWallet } from "../../remote-wallet/index.ts";
import type { StaffTransaction } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import type { After, StaffCaller } from "../sign-in/index.ts";
import { doAct, Refused, requestApproval } from "../sign-in/index.ts";
import type { ActsDeps, Executes } from "./desk.ts";
import { dayBegan } from "./desk.ts";
import { idIn } from "./floor.ts";
import { listed } from "./people.ts";
import type { Handlers, Incoming } from "./routes.ts";

/** Players: finding them, what they have, and what staff does for them. */
export function playerHandlers(deps: ActsDeps): Handlers {
  return {
    ...reading(deps),
    ...accounts(deps),
    ...signIns(deps),
    ...contacts(deps),
    ...limits(deps),
    ...bonuses(deps),
  };
}

type Row = z.input<typeof PlayerRow>;
const NOTES_MAX = 100;
const LIMITED_MAX = 1_000;

/** Wallets only for those who may see them. */
async function playerRows({ source }: ActsDeps, players: readonly Player[], seesWallet: boolean): Promise<Row[]> {
  const ids = players.map(({ id }) => id);
  const seats = await seatsOfPlayers(source, ids);
  const balances = seesWallet ? await balancesOf(source, ids) : new Map();
  const limitsFor = await limitsOfAll(
    source.withTables<LimitsTables>(),
    ids.map((playerId) => ({ playerId })),
  );
  const breaks = await breaksOf(source, ids);
  return players.map((player) => {
    const { balance = 0, onMachine = 0, pending = 0 } = balances.get(player.id) ?? {};
    // A forced break of minutes is no exclusion.
    const closed = (breaks.get(player.id)?.kind ?? "forced") !== "forced";
    const kept = closed || limitsFor(player.id).exclusion !== null ? ("excluded" as const) : ("active" as const);
    return {
      player: { id: player.id, username: player.username },
      name: `${player.name} ${player.lastname}`.trim() || null,
      state: player.banned_at === null ? kept : "banned",
      machine: seats.get(player.id) ?? null,
      addedAt: player.created_at.toISOString(),
      lastSeen: player.last_logon?.toISOString() ?? null,
      wallet: seesWallet ? { available: balance, onMachine, beingChecked: pending } : null,
    };
  });
}

/** The player of an address. @throws Refused. */
async function playerIn(source: ActsDeps["source"], params: Readonly<Record<string, string>>): Promise<Player> {
  const player = await findPlayer(source.withTables<PlayersTables>(), idIn(params, "player"));
  if (player === undefined) throw new Refused("thing.unknown", { kind: "player" });
  return player;
}

/** `deniz@example.org` becomes `d…@example.org`. */
const shownInPart = (email: string | null): string | null => email?.replace(/^(.).*(?=@)/, "$1…") ?? null;

function reading(deps: ActsDeps): Handlers {
  const { db, source, ledger } = deps;
  return {
    players: async ({ caller, query }) => {
      const { search, view, after, limit } = query;
      const limited = source.withTables<LimitsTables>();
      const wanted = {
        all: async () => ({}),
        atMachines: async () => ({ ids: [...(await seatsOfPlayers(source)).keys()] }),
        limits: async () => ({ ids: await playersWithLimits(limited, "any", LIMITED_MAX) }),
        keptOut: async () => ({
          bannedOr: [
            ...(await playersWithLimits(limited, "excluded", LIMITED_MAX)),
            ...(await playersOnBreak(source, LIMITED_MAX)),
          ],
        }),
      }[view];
      const found = await searchPlayers(source.withTables<PlayersTables>(), {
        ...(await wanted()),
        search: search === "" ? undefined : search,
        after,
        limit,
      });
      const rows = await playerRows(deps, found, caller().permissions.has("player.see"));
      return await listed(db, rows, found.length === limit ? (found.at(-1)?.id ?? null) : null);
    },
    player: async ({ params }) => await playerDetail(deps, await playerIn(source, params)),
    playerSessions: async ({ params, query }) => {
      const { id: playerId } = await playerIn(source, params);
      const { rows, next } = await deskPlaySessions(source, { playerId, after: query.after, limit: query.limit });
      return await listed(db, rows, next);
    },
    playerStatement: async ({ params, query }) => {
      const { id } = await playerIn(source, params);
      return await readStatement(source.withTables<HistoryTables>(), id, query.year);
    },
    playerGames: async ({ params }) => {
      const { id } = await playerIn(source, params);
      return { games: await lastGames(source.withTables<HistoryTables>(), id, undefined) };
    },
    playerWallet: async ({ params, query }) => {
      const { id } = await playerIn(source, params);
      const { after, limit } = query;
      if (after !== undefined && !/^\d{1,15}$/.test(after)) throw new Refused("request.invalid", { where: "after" });
      const page = { limit, ...(after !== undefined && { before: Number(after) }) };
      const { rows, nextBefore } = await ledger.statement(playerAccount(id), page);
      return await listed(
        db,
        rows.map(
          (row): z.input<typeof WalletRow> => ({
            id: row.transferId,
            at: row.createdAt.toISOString(),
            kind: WALLET_KINDS[row.kind] ?? row.kind,
            amount: row.amountMinor,
            balance: row.balanceMinor,
            person: text(row.about["actor"]),
            receipt: null,
            reason: text(row.about["reason"]),
          }),
        ),
        nextBefore === null ? null : String(nextBefore),
      );
    },
  };
}

const WALLET_KINDS: Readonly<Record<string, string>> = {
  withdraw: "withdrawal",
  jackpot: "handPay",
  suspense: "correction",
};
const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

async function playerDetail(deps: ActsDeps, player: Player): Promise<z.input<typeof PlayerDetail>> {
  const { source, timeZone } = deps;
  const playerId = player.id;
  const [row] = await playerRows(deps, [player], true);
  if (row === undefined) throw new Error("a player has a row");
  const limited = source.withTables<LimitsTables>();
  const own = await ownLimits(limited, { playerId, timeZone });
  const [cashIn24h = 0, loss24h = 0] = await usedToday(limited, playerId);
  return {
    ...row,
    email: shownInPart(player.email),
    limits: shownLimits(own, await limitsOf(limited, { playerId }), await standingLimits(limited, playerId)),
    used: { cashIn24h, loss24h },
    operatorWallet: deps.operatorWallet ? await operatorWalletOf(source, playerId) : null,
    signIns: (await openSessionsOf(source.withTables<AuthTables>(), playerId)).map((one) => ({
      id: one.id,
      address: one.address,
      since: one.since.toISOString(),
    })),
    ...(await keysOf(source.withTables<PasskeyTables>(), playerId)),
    notes: await notesOf(deps, playerId),
  };
}

async function operatorWalletOf(source: ActsDeps["source"], playerId: string) {
  const { said, moves } = await shownWallet(source, playerId, REMOTE_MOVES_MAX);
  return {
    said: said && { balance: said.balance, at: said.at.toISOString() },
    moves: moves.map(({ kind, at, ...move }) => ({
      ...move,
      at: at.toISOString(),
      direction: kind === "debit" ? ("out" as const) : ("back" as const),
    })),
  };
}

type ShownLimits = z.input<typeof PlayerLimits>;

function shownLimits(own: OwnLimits, now: Awaited<ReturnType<typeof limitsOf>>, all: readonly Standing[]): ShownLimits {
  const later = all.filter(({ holds, kind }) => !holds && kind !== "exclusion");
  const waiting = (name: LimitName) => later.findLast((one) => limitNameOf(one) === name);
  const named = own.limits.map(({ key, value, owner, used }) => ({
    key,
    value,
    owner,
    used,
    later: laterOf(waiting(key)),
  }));
  const coming = (name: LimitName, held: number | null) => {
    const row = waiting(name);
    return row === undefined ? held : row.value;
  };
  const held = {
    cashIn24h: now.counted["cashIn.day"]?.value ?? null,
    loss24h: now.counted["loss.day"]?.value ?? null,
    sessionMinutes: now.session,
  };
  const times = Object.values(LIMIT_FIELDS).flatMap((name) => waiting(name)?.effectiveAt.getTime() ?? []);
  return {
    counted: named,
    ...held,
    excludedUntil: now.exclusion === null ? null : new Date(now.exclusion).toISOString(),
    later:
      times.length === 0
        ? null
        : {
            from: new Date(Math.max(...times)).toISOString(),
            cashIn24h: coming("cashIn.day", held.cashIn24h),
            loss24h: coming("loss.day", held.loss24h),
            sessionMinutes: coming("session", held.sessionMinutes),
          },
  };
}

function laterOf(row: Standing | undefined) {
  if (row === undefined) return null;
  return { value: row.value, from: row.effectiveAt.toISOString(), asksAgain: row.asksAgain };
}

/** What was put onto machines and lost in 24 hours, minor units; a loss below zero is a win. */
async function usedToday(limited: Kysely<LimitsTables>, playerId: string): Promise<number[]> {
  const used: number[] = [];
  for (const kind of ["cashIn", "loss"] as const)
    used.push((await countedNow(limited, kind, [playerId], "day"))(playerId).day);
  return used;
}

async function notesOf({ db }: ActsDeps, playerId: string) {
  const rows = await db
    .selectFrom("player_note as n")
    .innerJoin("staff as s", "s.id", "n.staff_id")
    .select(["n.made_at", "n.text", "s.id", "s.name"])
    .where("n.player_id", "=", playerId)
    .orderBy("n.made_at", "desc")
    .limit(NOTES_MAX)
    .execute();
  return rows.map(({ made_at, text: note, id, name }) => ({
    at: made_at.toISOString(),
    person: { id, name },
    text: note,
  }));
}

function accounts(deps: ActsDeps): Handlers {
  const { random } = deps;

  /** Carries out at the player's pages and seat what the database says of the player now. */
  const carryOut = (after: After, playerId: string, by: string) =>
    after.push(() => deps.ask({ kind: "player", body: { playerId }, by }));

  const setBan =
    (banned: boolean) =>
    ({ act, caller, params }: Pick<Incoming<"banPlayer">, "act" | "caller" | "params">) =>
      doAct(deps, act(), async (trx, after) => {
        const { id, username } = await playerIn(wholeOf(trx), params);
        if (!(await setBanned(wholeOf(trx).withTables<PlayersTables>(), id, banned)))
          throw new Refused("act.refused", { sentence: `${username} is ${banned ? "banned already" : "not banned"}.` });
        if (banned) {
          await endSessions(wholeOf(trx).withTables<AuthTables>(), { playerId: id }, "banned");
          carryOut(after, id, caller().username);
        }
        return {};
      });

  return {
    addPlayer: ({ act, body }) =>
      doAct(
        deps,
        act(),
        async (trx) => {
          const password = newPlayerPassword(random);
          const whole = wholeOf(trx);
          const players = await createPlayers({ db: { kysely: whole }, ledger: openLedger(whole), random });
          const { username, name, email } = body;
          const profile = { ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
          const added = await players.add({ username, password, ...profile });
          if (added.is === "known")
            throw new Refused("act.refused", { sentence: `There is a player called ${username} already.` });
          if (added.is === "refused") throw new Refused("request.invalid", { where: added.sentence.slice(0, 100) });
          return { player: { id: added.id, username }, password };
        },
        { secret: true },
      ),
    banPlayer: setBan(true),
    unbanPlayer: setBan(false),
  };
}

/** What a player signs in with. */
function signIns(deps: ActsDeps): Handlers {
  const { random } = deps;
  const signOut = (after: After, playerId: string, by: string) =>
    after.push(() => deps.ask({ kind: "player", body: { playerId, signOut: true }, by }));
  return {
    endPlayerSignIns: ({ act, caller, params }) =>
      doAct(deps, act(), async (trx, after) => {
        const { id } = await playerIn(wholeOf(trx), params);
        await endSessions(wholeOf(trx).withTables<AuthTables>(), { playerId: id }, "logged out");
        signOut(after, id, caller().username);
        return {};
      }),
    removePlayerKeys: ({ act, caller, params }) =>
      doAct(deps, act(), async (trx, after) => {
        const { id, username } = await playerIn(wholeOf(trx), params);
        const had = await removeAllKeys(wholeOf(trx).withTables<PasskeyTables>(), id);
        if (!Object.values(had).some(Boolean))
          throw new Refused("act.refused", {
            sentence: `${username} has no passkey, no recovery code, no app and no link with an issuer.`,
          });
        await endSessions(wholeOf(trx).withTables<AuthTables>(), { playerId: id }, "logged out");
        await deps.notices?.changed(wholeOf(trx), id, "keysRemoved");
        signOut(after, id, caller().username);
        return {};
      }),
    newPlayerPassword: ({ act, caller, params }) =>
      doAct(
        deps,
        act(),
        async (trx, after) => {
          const whole = wholeOf(trx);
          const { id } = await playerIn(whole, params);
          const password = newPlayerPassword(random);
          const players = await createPlayers({ db: { kysely: whole }, ledger: openLedger(whole), random });
          await players.setPassword(id, password);
          await deps.notices?.changed(whole, id, "passwordChanged");
          await endSessions(wholeOf(trx).withTables<AuthTables>(), { playerId: id }, "logged out");
          signOut(after, id, caller().username);
          return { password };
        },
        { secret: true },
      ),
  };
}

function contacts(deps: ActsDeps): Handlers {
  const { random } = deps;
  return {
    revealContact: ({ act, params }) =>
      doAct(deps, act(), async (trx) => ({ email: (await playerIn(wholeOf(trx), params)).email }), { secret: true }),
    notePlayer: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx) => {
        const { id } = await playerIn(wholeOf(trx), params);
        const row = { id: newId(random, "no"), player_id: id, staff_id: caller().staffId, text: body.text };
        await trx.insertInto("player_note").values(row).execute();
        return {};
      }),
  };
}

/** Fields of the wire that are older than limits by name. */
const LIMIT_FIELDS = { cashIn24h: "cashIn.day", loss24h: "loss.day", sessionMinutes: "session" } as const;
type Wanted = { readonly name: LimitName; readonly value: number | null };
type WantedFields = Partial<Record<keyof typeof LIMIT_FIELDS, number | null | undefined>> & {
  readonly limits?: Partial<Record<LimitSubject, number | null>> | undefined;
};

function valuesIn(body: WantedFields): Wanted[] {
  const named = Object.entries(body.limits ?? {}) as [LimitSubject, number | null][];
  const fields = Object.entries(LIMIT_FIELDS) as [keyof typeof LIMIT_FIELDS, LimitSubject][];
  const all = new Map<LimitName, number | null>(named);
  for (const [field, name] of fields) {
    const value = body[field];
    if (value !== undefined) all.set(name, value);
  }
  return [...all].map(([name, value]) => ({ name, value }));
}

function limits(deps: ActsDeps): Handlers {
  const { random, secondPerson, timeZone } = deps;
  return {
    stricterLimits: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx, after) => {
        const { id: playerId } = await playerIn(wholeOf(trx), params);
        const { username: by } = caller();
        const limited = wholeOf(trx).withTables<LimitsTables>();
        const wanted = valuesIn(body);
        if (body.excludeUntil !== undefined) wanted.push({ name: "exclusion", value: Date.parse(body.excludeUntil) });
        if (wanted.length === 0) throw new Refused("request.invalid", { where: "no limit is named" });
        const now = (await databaseTime(trx)).getTime();
        for (const { name, value } of wanted) {
          if (name === "exclusion" && (value ?? 0) <= now)
            throw new Refused("act.refused", { sentence: "An exclusion ends in the future." });
          const order = { ...limitPartsOf(name), value, playerId, owner: "house", by, timeZone } as const;
          if ((await holdsFrom(limited, order)) === "later")
            throw new Refused("act.refused", { sentence: `The limit ${name} would become looser.` });
          await setLimit(limited, order);
        }
        after.push(() => deps.ask({ kind: "player", body: { playerId }, by }));
        return {};
      }),
    looserLimits: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx) => {
        const { id: playerId, username } = await playerIn(wholeOf(trx), params);
        const { username: by } = caller();
        const wanted = valuesIn(body);
        if (body.liftExclusion !== true) {
          if (wanted.length === 0) throw new Refused("request.invalid", { where: "no limit is named" });
          await loosen(trx, { playerId, by, timeZone }, wanted);
          return {};
        }
        if (wanted.length > 0)
          throw new Refused("act.refused", { sentence: "Lift an exclusion by itself: it needs a second person." });
        const { exclusion } = await limitsOf(wholeOf(trx).withTables<LimitsTables>(), { playerId });
        if (exclusion === null) throw new Refused("act.refused", { sentence: `${username} is not excluded.` });
        ownersOf(await standingLimits(wholeOf(trx).withTables<LimitsTables>(), playerId), "exclusion");
        if (!secondPerson) {
          await loosen(trx, { playerId, by, timeZone }, [{ name: "exclusion", value: null }]);
          return {};
        }
        return await requestApproval(trx, random, caller(), {
          kind: "exclusion.lift",
          subject: `player:${playerId}`,
          reason: body.reason,
          content: { player: playerId, until: exclusion },
          evidence: [
            { label: "player", value: username },
            { label: "excluded until", value: new Date(exclusion).toISOString() },
          ],
        });
      }),
  };
}

/** Makes limits of the operator looser; each holds after its wait. Those of the player only the player can. @throws Refused: it is not looser. */
async function loosen(
  trx: StaffTransaction,
  by: { readonly playerId: string; readonly by: string; readonly timeZone: string },
  wanted: readonly Wanted[],
): Promise<void> {
  const limited = wholeOf(trx).withTables<LimitsTables>();
  const held = await standingLimits(limited, by.playerId);
  for (const { name, value } of wanted) {
    for (const { owner } of ownersOf(held, name)) {
      const order = { ...by, ...limitPartsOf(name), owner, value };
      if ((await holdsFrom(limited, order)) === "now")
        throw new Refused("act.refused", { sentence: `The limit ${name} would not become looser.` });
      await setLimit(limited, order);
    }
  }
}

/** The operator's limits of this name. @throws Refused: there is none, or it is the player's own. */
function ownersOf(held: readonly Standing[], name: LimitName): readonly Standing[] {
  const all = held.filter((one) => one.holds && limitNameOf(one) === name && one.value !== null);
  if (all.length === 0) throw new Refused("act.refused", { sentence: `There is no limit ${name}.` });
  const ours = all.filter(({ owner }) => owner === "house");
  if (ours.length === 0)
    throw new Refused("act.refused", { sentence: `The limit ${name} is the player's own. ${OWN_LIMIT}` });
  return ours;
}

const LiftContent = z.strictObject({ player: z.string(), until: z.int() });
const BonusContent = z.strictObject({ player: z.string(), amount: z.int(), days: z.int(), by: z.string() });
const DAY_MS = 86_400_000;

function bonuses(deps: ActsDeps): Handlers {
  const { random, secondPerson } = deps;
  return {
    grantBonus: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx) => {
        const player = await playerIn(wholeOf(trx), params);
        if (player.banned_at !== null) throw new Refused("act.refused", { sentence: `${player.username} is banned.` });
        const { username: by, limits: mine } = caller();
        const now = await databaseTime(trx);
        const days = Math.ceil((Date.parse(body.expiresAt) - now.getTime()) / DAY_MS);
        if (days < 1 || days > 3_650) throw new Refused("request.invalid", { where: "expiresAt" });
        const content = { player: player.id, amount: body.amount, days, by };
        const alone = await grantedAlone(trx, caller(), dayBegan(now, deps));
        if (!secondPerson || alone + body.amount <= (mine.bonus ?? 0)) {
          await grant(deps, trx, content, body.reason);
          return {};
        }
        return await requestApproval(trx, random, caller(), {
          kind: "bonus.grant",
          subject: `player:${player.id}`,
          amount: body.amount,
          reason: body.reason,
          content,
          evidence: [
            { label: "player", value: player.username },
            { label: "days", value: String(days) },
          ],
        });
      }),
  };
}

/**
 * What the caller has granted since then without a second person, by hand and as budgets of campaigns. Their row is locked, so that grants at the same
 * moment count each other.
 */
export async function grantedAlone(
  trx: StaffTransaction,
  { staffId, username }: Pick<StaffCaller, "staffId" | "username">,
  since: Date,
): Promise<number> {
  await trx.selectFrom("staff").select("id").where("id", "=", staffId).forNoKeyUpdate().execute();
  const promotions = wholeOf(trx).withTables<PromotionsTables>();
  const byHand = await grantedSince(promotions, username, since);
  const campaigns = await startedAloneSince(promotions, username, since);
  const { signed } = await trx
    .selectFrom("approval")
    .select(sql<number>`coalesce(sum(amount), 0)::bigint`.as("signed"))
    .where("kind", "=", "bonus.grant")
    .where("requested_by", "=", staffId)
    .where("state", "=", "done")
    .where("decided_at", ">=", since)
    .executeTakeFirstOrThrow();
  return byHand - signed + campaigns;
}

async function grant(
  { random }: ActsDeps,
  trx: StaffTransaction,
  { player: playerId, amount: amountMinor, days, by: grantedBy }: z.output<typeof BonusContent>,
  reason: string,
): Promise<void> {
  const order = { playerId, amountMinor, reason, grantedBy, days };
  const granted = await grantBonus(wholeOf(trx).withTables<PromotionsTables>(), random, order);
  if (granted.is === "refused") throw new Refused("act.refused", { sentence: granted.sentence });
}

/** What a second signature lets happen to players. */
export function playerExecutes(deps: ActsDeps): Executes {
  return {
    "exclusion.lift": async (trx, content, { requestedBy }) => {
      const { player: playerId, until } = z.parse(LiftContent, content);
      const { exclusion } = await limitsOf(wholeOf(trx).withTables<LimitsTables>(), { playerId });
      if (exclusion !== until) throw new Refused("approval.changed");
      const { rows } = await sql<{ username: string }>`select username from staff where id = ${requestedBy}`.execute(
        trx,
      );
      const by = { playerId, by: rows[0]?.username ?? requestedBy, timeZone: deps.timeZone };
      await loosen(trx, by, [{ name: "exclusion", value: null }]);
    },
    "bonus.grant": (trx, content, { reason }) => grant(deps, trx, z.parse(BonusContent, content), reason),
  };
}
