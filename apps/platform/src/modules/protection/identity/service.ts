import { CountryCode, DOCUMENT_KINDS, DocumentNumber, IDENTITY_DECISIONS } from "@longarm/contract/player-identity";
import { PersonalNumber } from "@longarm/contract/staff-identity";
import { runTransaction } from "@longarm/database/run-transaction";
import { isSignedBy, WEBHOOK_WINDOW_S } from "@longarm/link/standard-webhooks";
import type { FastifyInstance, FastifyReply } from "fastify";
import { sql } from "kysely";
import * as z from "zod/mini";
import type { Clock } from "../../../clock.ts";
import type { AnyDb, PlatformDeps } from "../../../deps.ts";
import type { Random } from "../../../random.ts";
import { jsonOf } from "../../../standard-webhooks.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayer } from "../../players/accounts/index.ts";
import { openAudit } from "../../records/audit/index.ts";
import { decideIdentity, identityOf, isBirthDate, keepRecord, lockIdentity, makesOlder } from "./identity.ts";
import { isHalf, keepMarks, marksOf } from "./person.ts";

/** Where a verification service sends its decisions. */
const PATH = "/v1/identity/decisions";
const BODY_BYTES_MAX = 8_192;
/** Who decided, in rows and in the audit log. */
const SERVICE = "service:identity";

const MessageId = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{7,99}$/));
/** What the service decides. Nothing else may be in it. */
const Decision = z.strictObject({
  /** The platform's id of the player. */
  player: z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)),
  state: z.enum(IDENTITY_DECISIONS),
  birthDate: z.optional(z.iso.date()),
  document: z.optional(z.string().check(z.minLength(1), z.maxLength(100), z.regex(/^[^\p{Cc}\p{Cs}]+$/u))),
  /** Who issued number and document; goes with either. */
  country: z.optional(CountryCode),
  personalNumber: z.optional(PersonalNumber),
  /** Only a keyed mark of it is kept. */
  documentNumber: z.optional(DocumentNumber),
  documentKind: z.optional(z.enum(DOCUMENT_KINDS)),
  /** The document's last day; only with `verified`. */
  validUntil: z.optional(z.iso.date()),
  reason: z.string().check(z.regex(/^\S(?:[^\p{Cc}\p{Cs}]{0,198}\S)?$/u)),
});
type Decision = z.output<typeof Decision>;

/** `done`, also for a repeat; else why nothing was changed. */
type Outcome = "done" | "held" | "repeated" | "unknownPlayer" | "wrongDate" | "halfNumber" | "needsPerson";
/** What acted on the message; all else refuses it. */
const ACTED: ReadonlySet<Outcome> = new Set(["done", "held", "repeated"]);
const ANSWERS = {
  done: [200, "done"],
  held: [200, "pending: another account has this number or document, a person decides at the desk"],
  repeated: [200, "done before"],
  unknownPlayer: [404, "there is no such player"],
  wrongDate: [400, "the birth date or the last day of the document is wrong, or a verified identity has no birth date"],
  halfNumber: [400, "a number goes with its country, and the number of a document with its kind"],
  needsPerson: [409, "this birth date makes the player older than is known: a person decides at the desk"],
} as const satisfies Record<Outcome, readonly [number, string]>;

type ServiceDeps = Pick<PlatformDeps, "db" | "random"> & {
  readonly clock: Pick<Clock, "now">;
  readonly node: string;
  /** `whsec_…`, the newest first; none: no service is connected, and the address does not exist. */
  readonly secrets: readonly string[];
};

/**
 * Receives decisions of a verification service, signed as Standard Webhooks 1.0 over the bytes as they came. A message counts once, within five minutes
 * of its time. A birth date that makes a player older is refused: two people decide that. Who has another account is not verified: a person decides that.
 */
export function createIdentityService({ secrets, ...deps }: ServiceDeps, app: FastifyInstance): void {
  if (secrets.length === 0) return;
  // A scope of its own: here bodies stay bytes, because the signature is over them.
  void app.register((scope, _options, ready) => {
    scope.removeContentTypeParser("application/json");
    scope.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.post(PATH, { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
      const id = z.safeParse(MessageId, request.headers["webhook-id"]);
      const isSigned = id.success && isSignedBy(secrets, request.headers, request.body, deps.clock.now());
      if (!isSigned) return answer(reply, 401, "the signature or the time is wrong");
      const read = z.safeParse(Decision, jsonOf(request.body));
      if (!read.success) return answer(reply, 400, "this is no decision");
      const outcome = await decide(deps, id.data, read.data);
      const [status, sentence] = ANSWERS[outcome];
      return answer(reply, status, sentence);
    });
    ready();
  });
}

const answer = (reply: FastifyReply, status: number, sentence: string): FastifyReply =>
  reply.code(status).header("cache-control", "no-store").send({ sentence });

/** Acts on a message once. What refuses takes its id back: the service may send it again when the reason is gone. */
async function decide(
  { db, node, random }: Pick<ServiceDeps, "db" | "node" | "random">,
  id: string,
  decision: Decision,
): Promise<Outcome> {
  try {
    return await runTransaction(db.kysely, async (trx) => {
      await openAudit(trx, node).actAs(SERVICE);
      const outcome = (await isNew(trx, id)) ? await apply(trx, random, decision) : "repeated";
      if (!ACTED.has(outcome)) throw new NotDone(outcome);
      return outcome;
    });
  } catch (error) {
    if (error instanceof NotDone) return error.outcome;
    throw error;
  }
}

class NotDone extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super(outcome);
    this.outcome = outcome;
  }
}

/** Whether this message was never acted on. Ids that no repeat can use any more are forgotten. */
async function isNew(trx: AnyDb, id: string): Promise<boolean> {
  await sql`delete from identity_message where received_at < clock_timestamp() - make_interval(secs => ${4 * WEBHOOK_WINDOW_S})`.execute(
    trx,
  );
  const { rows } = await sql`
    insert into identity_message (id) values (${id}) on conflict do nothing returning id`.execute(trx);
  return rows.length === 1;
}

async function apply(trx: AnyDb, random: Random, decision: Decision): Promise<Outcome> {
  const { player: playerId, state, birthDate, document, validUntil = null, reason, personalNumber } = decision;
  if ((await findPlayer(trx.withTables<PlayersTables>(), playerId)) === undefined) return "unknownPlayer";
  await lockIdentity(trx, playerId);
  const known = await identityOf(trx, playerId);
  const isUndated = state === "verified" && (birthDate ?? known.birthDate) === null;
  if (isUndated || (validUntil !== null && state !== "verified")) return "wrongDate";
  if (birthDate !== undefined && !(await isBirthDate(trx, birthDate))) return "wrongDate";
  if (birthDate !== undefined && (await makesOlder(trx, playerId, birthDate))) return "needsPerson";
  if (isHalf(decision)) return "halfNumber";
  await keepRecord(trx, playerId, {
    ...(personalNumber !== undefined && { personalNumber }),
    ...(birthDate !== undefined && { birthDate }),
    ...(document !== undefined && { document }),
  });
  await keepMarks(trx, playerId, await marksOf(trx, random, decision));
  const became = await decideIdentity(trx, { playerId, state, validUntil, by: SERVICE, reason });
  return became === state ? "done" : "held";
}
