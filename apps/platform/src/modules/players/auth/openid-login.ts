import { openIdCalls } from "@longarm/contract/player-openid";
import type { Problem } from "@longarm/contract/problems";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { PlatformDeps } from "../../../deps.ts";
import type { IssuersPerson } from "../../../openid.ts";
import { IssuerFailed } from "../../../openid.ts";
import { callCount, callLimit } from "../../../plugins/limits.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import { newId } from "../../../random.ts";
import type { Audit } from "../../records/audit/index.ts";
import { createPlayers } from "../accounts/index.ts";
import type { OpenId, OpenIdIssuer, PasskeyTables } from "../passkeys/index.ts";
import { linkOpenId } from "../passkeys/index.ts";
import { emailErrors, nameErrors } from "./account-routes.ts";
import type { LoginDeps, SignIn, SignInDoor } from "./login-route.ts";
import { answerSignIn } from "./login-route.ts";

/** A code, a state and an issuer. */
export const ANSWER_BODY_BYTES_MAX = 12_288;
const HOUR_MS = 3_600_000;

export type OpenIdParts = LoginDeps & {
  /** Undefined: players sign in with no issuer. */
  readonly openId: OpenId | undefined;
  /** Where the page of this request is, for the issuer to send it back. */
  originOf(request: FastifyRequest): string;
  readonly newAccounts: NewAccounts;
  /** A code by e-mail replaces a forgotten password. */
  readonly resets: boolean;
};

/** Who signs in for the first time gets an account, where the operator wants it of that issuer. */
export type NewAccounts = Pick<PlatformDeps, "ledger" | "random"> & {
  readonly db: PlatformDeps["db"]["kysely"];
  readonly audit: Audit;
  readonly perHourAddress: number;
};

export const noIssuer = (reply: FastifyReply): FastifyReply =>
  sendProblem(reply, { name: "request.invalid", detail: "no issuer signs players in here" }, 404);

/** Does what takes the issuer; what it refuses has a problem, and its reason is in the log. */
export async function withIssuer<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T | Problem> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof IssuerFailed)) throw error;
    const issuer = (request.body as { readonly issuer?: string } | undefined)?.issuer;
    request.log.info({ problem: `openId.${error.is}`, issuer, detail: error.message }, "no sign-in by the issuer");
    return { name: `openId.${error.is}` };
  }
}

/** How a page shows an issuer. */
export const shownIssuer = ({ name, label, icon }: OpenIdIssuer) => ({ name, label, icon });

/** Signing in at an issuer. No player is found by a name or an address: issuer and subject of a link sign in, whatever else the issuer says. */
export function openIdLoginRoutes(app: FastifyInstance, door: SignInDoor, parts: OpenIdParts): void {
  const { openId } = parts;
  const typed = app.withTypeProvider<ZodTypeProvider>();
  // Their answers carry secrets: never compressed together with what the caller sent.
  const open = () => ({ compress: false as const, onRequest: callLimit(app, door.perMinuteAddress) });
  typed.get(`/v1/${openIdCalls.signInWays.path}`, async (_, reply) =>
    reply.header("cache-control", "no-store").send({
      openId: openId?.issuers[0] === undefined ? null : { label: openId.issuers[0].label },
      issuers: openId?.issuers.map(shownIssuer) ?? [],
      reset: parts.resets,
    }),
  );
  typed.post(
    `/v1/${openIdCalls.openIdBegin.path}`,
    { schema: { body: openIdCalls.openIdBegin.body }, bodyLimit: 1_024, ...open() },
    async (request, reply) => {
      const issuer = openId?.issuerNamed(request.body.issuer);
      if (openId === undefined || issuer === undefined) return noIssuer(reply);
      if (door.isBlocked(request)) return sendProblem(reply, { name: "auth.ip_not_permitted" });
      const begun = await withIssuer(request, () => openId.begin(issuer, parts.originOf(request), undefined));
      return "name" in begun ? sendProblem(reply, begun) : reply.header("cache-control", "no-store").send(begun);
    },
  );
  const { newAccounts } = parts;
  const countNew = callCount(app, newAccounts.perHourAddress, undefined, HOUR_MS);
  typed.post(
    `/v1/${openIdCalls.openIdLogin.path}`,
    { schema: { body: openIdCalls.openIdLogin.body }, bodyLimit: ANSWER_BODY_BYTES_MAX, ...open() },
    async (request, reply) => {
      if (openId === undefined) return noIssuer(reply);
      return await answerSignIn(door, { request, reply, how: "openId", named: { openId: request.body.secret } }, () =>
        checkOpenId({ ...parts, openId }, request, request.body, () => countNew(request)),
      );
    },
  );
}

type Answered = { readonly secret: string; readonly answer: string; readonly issuer?: string | undefined };

/** Refuses, in this order, with: openId.refused or openId.away, openId.unlinked, request.too_many, openId.known, auth.banned. */
async function checkOpenId(
  { openId, players, demoAllowed, newAccounts }: OpenIdParts & { readonly openId: OpenId },
  request: FastifyRequest,
  { secret, answer, issuer }: Answered,
  tooManyNew: () => Promise<number | undefined>,
): Promise<SignIn> {
  const back = await withIssuer(request, () => openId.answered({ secret, answer, issuer }, undefined));
  if (back === undefined) return refused({ name: "openId.refused" });
  if ("name" in back) return refused(back);
  const { person } = back;
  const named = { openId: `${person.issuer} ${person.subject}` };
  let playerId = await openId.playerOf(person);
  if (playerId === undefined) {
    if (!openId.opensAccounts(person)) return { ...refused({ name: "openId.unlinked" }), named };
    const seconds = await tooManyNew();
    if (seconds !== undefined) return refused({ name: "request.too_many", params: { seconds } });
    playerId = (await openAccount(newAccounts, person)) ?? (await openId.playerOf(person));
    if (playerId === undefined) return { ...refused({ name: "openId.known" }), named };
  }
  const player = await players.find(playerId);
  if (player === undefined || (player.demo && !demoAllowed)) return { ...refused({ name: "openId.unlinked" }), named };
  if (player.banned_at !== null) return { ...refused({ name: "auth.banned" }), named: { username: player.username } };
  return { is: "player", player, person };
}

const refused = (problem: Problem): Extract<SignIn, { is: "refused" }> => ({ is: "refused", problem });

/** Two sign-ins of one person came at once: the other one has opened the account. */
class LinkedMeanwhile extends Error {}

/**
 * Opens an account without a password for a person of the issuer. Undefined: one with the same verified e-mail address is there, or was opened just
 * now. It is not given to this person: an address proves less than its owner's own sign-in, and may have changed hands.
 */
async function openAccount(
  { db, audit, ledger, random }: NewAccounts,
  person: IssuersPerson,
): Promise<string | undefined> {
  const name = person.name.normalize("NFC").trim().replaceAll(/\s+/gu, " ");
  const email = person.email !== undefined && emailErrors(person.email).length === 0 ? person.email : undefined;
  const account = {
    username: email ?? newId(random, "player"),
    name: nameErrors(name).length === 0 ? name : "",
    ...(email !== undefined && { email, emailOnce: true }),
  };
  try {
    return await db.transaction().execute(async (trx) => {
      const players = await createPlayers({ db: { kysely: trx }, ledger: ledger.within(trx), random });
      const added = await players.add(account, (within) => audit.within(within).actAs("visitor"));
      if (added.is === "refused") throw new Error(`An account by the issuer was refused: ${added.sentence}`);
      if (added.is === "known") return undefined;
      if (!(await linkOpenId(trx.withTables<PasskeyTables>(), added.id, person))) throw new LinkedMeanwhile();
      return added.id;
    });
  } catch (error) {
    if (error instanceof LinkedMeanwhile) return undefined;
    throw error;
  }
}
