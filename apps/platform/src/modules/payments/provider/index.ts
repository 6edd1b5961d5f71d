import type { ProviderCall, ProviderRequests } from "@longarm/contract/payment-provider";
import {
  NeverArrived,
  PROVIDER_ANSWER_MS,
  PROVIDER_BYTES_MAX,
  ProviderName,
  ProviderStatus,
} from "@longarm/contract/payment-provider";
import { runTransaction } from "@longarm/database/run-transaction";
import { isSignedBy } from "@longarm/link/standard-webhooks";
import type { FastifyInstance, FastifyReply } from "fastify";
import * as z from "zod/mini";
import type { AnyDb, PlatformDeps } from "../../../deps.ts";
import { newId } from "../../../random.ts";
import type { RepeatedLook } from "../../../repeat-look.ts";
import { repeatLook } from "../../../repeat-look.ts";
import type { Said } from "../../../standard-webhooks.ts";
import { jsonOf, signedCaller } from "../../../standard-webhooks.ts";
import type { Due } from "../book/index.ts";
import {
  answered,
  changePayment,
  collectable,
  dueWays,
  hasOpenDispute,
  lockPayment,
  noAnswer,
  setTrouble,
  setWants,
  silentProviders,
  takeDue,
  wantBack,
} from "../book/index.ts";
import { applyStatus, collectOwed } from "./apply.ts";

export { collectOwed, owedOf } from "./apply.ts";

/** How often what is open is looked at, ms. */
const LOOK_MS = 1_000;
/** From one try to the next of another node at the earliest, ms: longer than one call. */
const MEANWHILE_MS = 10_000;
const AT_ONCE = 20;
/** A withdrawal that a person has to look at first is tried again so late, ms. */
const LATER_MS = 60_000;

type ProviderAnswer = ProviderStatus | z.output<typeof NeverArrived>;
/** Asks a provider once. Never throws. */
export type AskProvider = (call: ProviderCall, body: object) => Promise<Said<ProviderAnswer>>;
/** In the place of HTTP to the provider of this name; proofs alone give one. */
export type InPlaceOfHttp = { readonly askProvider?: (provider: string) => AskProvider };

type ProvidersParts = Pick<PlatformDeps, "db" | "ledger" | "bus" | "clock" | "random"> & {
  readonly log: Pick<PlatformDeps["log"], "warn" | "error">;
  /** By the provider's name. */
  readonly ask: ReadonlyMap<string, AskProvider>;
};

/** Providers of payments: says what each is to do, and asks how far a payment is until it is decided (record 0236). */
export type Providers = RepeatedLook & {
  /** Says what a payment needs now, in place of at the next look. */
  begin(id: string): Promise<void>;
};

/** The configured providers, and where they report. */
export function openProviders(deps: PlatformDeps & InPlaceOfHttp, app: FastifyInstance): Providers {
  const ending = new AbortController();
  const limits = { answerMs: PROVIDER_ANSWER_MS, bytesMax: PROVIDER_BYTES_MAX };
  const ask = new Map(
    deps.config.providers.map((provider) => {
      const call = signedCaller(provider, { ...deps, signal: ending.signal }, limits);
      const overHttp: AskProvider = (name, body) => call(name, body, name === "status" ? AnyAnswer : ProviderStatus);
      return [provider.name, deps.askProvider?.(provider.name) ?? overHttp] as const;
    }),
  );
  const providers = createProviders({ ...deps, ask });
  serveReports(deps, app);
  return {
    ...providers,
    async close() {
      ending.abort();
      await providers.close();
    },
  };
}

const AnyAnswer = z.union([ProviderStatus, NeverArrived]);

function createProviders(parts: ProvidersParts): Providers {
  const db = parts.db.kysely as AnyDb;
  const failed = "payments of providers could not be looked at, the next look tries again";
  // Each provider by itself, and no look waits for one: what is silent delays no other's payments.
  const calling = new Map<string, Promise<unknown>>();
  const look = repeatLook({ clock: parts.clock, log: parts.log, everyMs: LOOK_MS, failed }, async (isClosed) => {
    await callOut(db, parts.log);
    for (const way of await dueWays(db)) {
      if (calling.has(way)) continue;
      const said = sayDue(parts, way, isClosed)
        .catch((error: unknown) => parts.log.warn({ err: error, provider: way }, failed))
        .finally(() => calling.delete(way));
      calling.set(way, said);
    }
    return await collectAll(parts);
  });
  return {
    ...look,
    async close() {
      await look.close();
      await Promise.all(calling.values());
    },
    async begin(id) {
      const [due] = await takeDue(db, { meanwhileMs: MEANWHILE_MS, limit: 1, id });
      if (due !== undefined) await step(parts, due);
    },
  };
}

/** Says what is due to one provider, batch after batch while each is answered whole. */
async function sayDue(parts: ProvidersParts, way: string, isClosed: () => boolean): Promise<void> {
  const db = parts.db.kysely as AnyDb;
  for (let isMore = true; isMore && !isClosed(); ) {
    const due = await takeDue(db, { meanwhileMs: MEANWHILE_MS, limit: AT_ONCE, way });
    isMore = (await settled(due.map((one) => step(parts, one)))).filter(Boolean).length === AT_ONCE;
  }
}

/** What all of them gave, after the last of them ended. @throws what the first that failed threw. */
async function settled<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all);
  return await Promise.all(all);
}

/** Says one thing to a provider and applies its answer. False: there was none. */
async function step(parts: ProvidersParts, due: Due): Promise<boolean> {
  const db = parts.db.kysely as AnyDb;
  if (due.wants === "withdraw" && !(await maySend(db, due))) return false;
  const call = due.unsure || due.wants === null || due.wants === "watch" ? "status" : due.wants;
  const said = (await parts.ask.get(due.way)?.(call, bodyOf(call, due))) ?? { is: "nothing", why: "not configured" };
  if (said.is === "nothing") {
    parts.log.warn(
      { payment: due.id, provider: due.way, call, why: said.why },
      "a provider of payments did not answer",
    );
    await noAnswer(db, due.id, said.why);
    return false;
  }
  const { answer } = said;
  const applied = await runTransaction(db, async (trx) => {
    if (answer.id !== due.id) {
      await setTrouble(trx, due.id, "contradicts", `an answer about ${answer.id}`);
      await answered(trx, due.id, { isNext: false });
      return undefined;
    }
    if (answer.state === "unknown") return await neverArrived(trx, due);
    const done = await applyStatus(trx, parts.ledger, { way: due.way, status: answer, queried: due.state });
    if (due.isAbandoned && answer.state === "open") await wantBack(trx, due.id, "expired", null);
    await answered(trx, due.id, { isNext: call === "status" });
    return done;
  });
  if (applied?.changed === true) parts.bus.publish("balance.changed", { playerId: applied.playerId });
  return true;
}

type Body<Call extends ProviderCall> = z.input<(typeof ProviderRequests)[Call]>;

function bodyOf(call: ProviderCall, due: Due): Body<ProviderCall> {
  const { id, currency, amount, playerId: player, returnUrl } = due;
  if (call === "status") return { id } satisfies Body<"status">;
  const movement = { id, currency, amount } satisfies Body<"capture" | "reverse">;
  if (call === "deposit") return { ...movement, player, returnUrl } satisfies Body<"deposit">;
  return call === "withdraw" ? ({ ...movement, player } satisfies Body<"withdraw">) : movement;
}

/** The call that had no answer never arrived: what is wanted can be said. A payment that the provider knew cannot be forgotten. */
async function neverArrived(trx: AnyDb, due: Due): Promise<undefined> {
  const row = await lockPayment(trx, due.id);
  if (due.wants === "watch" || due.wants === "capture")
    await setTrouble(trx, due.id, "contradicts", `unknown after ${row?.state ?? "nothing"}`);
  await answered(trx, due.id, { isNext: true });
}

/** From here on the withdrawal is out of our hands. False: it is not any more, or a person has to look at its player first. */
async function maySend(db: AnyDb, { id, playerId, way }: Due): Promise<boolean> {
  return await runTransaction(db, async (trx) => {
    const row = await lockPayment(trx, id);
    if (row?.state === "sent") return true;
    if (row?.state !== "approved") {
      await setWants(trx, id, null);
      return false;
    }
    if (await hasOpenDispute(trx, playerId)) {
      await answered(trx, id, { isNext: false, inMs: LATER_MS });
      return false;
    }
    return await changePayment(trx, row, { to: "sent", by: `provider:${way}` });
  });
}

/** Takes what came back from a machine, or was added, towards what is owed; answers for how many payments. */
async function collectAll({ db, ledger, bus, random }: ProvidersParts): Promise<number> {
  const due = await collectable(db.kysely, AT_ONCE);
  for (const id of due) {
    const playerId = await runTransaction(db.kysely, async (trx) => {
      const row = await lockPayment(trx, id);
      if (row === undefined) return undefined;
      await collectOwed(trx, ledger, row, { id: newId(random, "cl"), actor: "platform", reason: "it is owed" });
      return row.playerId;
    });
    if (playerId !== undefined) bus.publish("balance.changed", { playerId });
  }
  return due.length;
}

async function callOut(db: AnyDb, log: ProvidersParts["log"]): Promise<void> {
  for (const { way, count, oldest } of await silentProviders(db))
    log.error(
      { alarm: "provider", provider: way, count, oldest },
      "a provider of payments has not answered for over a minute",
    );
}

const answer = (reply: FastifyReply, status: number, sentence: string): FastifyReply =>
  reply.code(status).header("cache-control", "no-store").send({ sentence });

/**
 * Receives what providers report, signed as Standard Webhooks 1.0 over the bytes as they came. A report says how far a payment is, so the same one
 * again, an old one and one before its call has an answer are all harmless: `applyStatus` only goes forward.
 */
function serveReports({ config, db, ledger, bus, clock }: PlatformDeps, app: FastifyInstance): void {
  if (config.providers.length === 0) return;
  const known = new Map(config.providers.map(({ name, secrets }) => [name, secrets]));
  // A scope of its own: here bodies stay bytes, because the signature is over them.
  void app.register((scope, _options, ready) => {
    scope.removeContentTypeParser("application/json");
    scope.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.post("/v1/providers/:provider/payments", { bodyLimit: PROVIDER_BYTES_MAX }, async (request, reply) => {
      const name = z.safeParse(z.object({ provider: ProviderName }), request.params);
      const way = name.success ? name.data.provider : "";
      if (!isSignedBy(known.get(way) ?? [], request.headers, request.body, clock.now()))
        return answer(reply, 401, "the signature or the time is wrong");
      const read = z.safeParse(ProviderStatus, jsonOf(request.body));
      if (!read.success) return answer(reply, 400, "this is no payment of the contract");
      const applied = await runTransaction(db.kysely, (trx) => applyStatus(trx, ledger, { way, status: read.data }));
      if (applied === undefined) return answer(reply, 404, "there is no such payment");
      if (applied.changed) bus.publish("balance.changed", { playerId: applied.playerId });
      return answer(reply, 200, "done");
    });
    ready();
  });
}
