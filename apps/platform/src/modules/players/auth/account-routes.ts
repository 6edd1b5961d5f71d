import "@fastify/compress";
import type { SignedInAnswer } from "@longarm/contract/http";
import type { ProblemName } from "@longarm/contract/problems";
import { problems } from "@longarm/contract/problems";
import type { Language } from "@longarm/contract/settings";
import { defaultSettings, LANGUAGES } from "@longarm/contract/settings";
import type { RegisterReason, TemplateUser } from "@longarm/contract/template/template-api";
import { servedTemplateCalls } from "@longarm/contract/template/template-api";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import { callLimit } from "../../../plugins/limits.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Audit } from "../../records/audit/index.ts";
import type { ConfirmedAddress, Player, PlayerProfile, Players } from "../accounts/index.ts";
import { isKeepable, newPasswordProblem, USERNAME_LENGTH_MAX, usernameKey } from "../accounts/index.ts";
import type { Guard } from "./guard.ts";
import { callerOf } from "./guard.ts";
import type { Visit } from "./session-rows.ts";
import { visitOf } from "./signed-in.ts";

const BODY_BYTES_MAX = 4_096;
const HOUR_MS = 3_600_000;

export type AccountRoutes = RegisterParts & {
  /** Whether visitors may open accounts. */
  readonly open: boolean;
  readonly perHourAddress: number;
  /** True for a visitor who may not sign in from where they are. */
  isBlocked(visitor: FastifyRequest): boolean;
  signIn(player: Player, visit: Visit): Promise<SignedInAnswer | undefined>;
  /** Sends the code that confirms the address of a new account; null: there is no mail server. */
  readonly confirmAddress: ((playerId: string, to: ConfirmedAddress) => Promise<unknown>) | null;
};

/** The template's calls of accounts: POST /api/auth/register and /api/auth/user/update. */
export function accountRoutes(app: FastifyInstance, guard: Guard, parts: AccountRoutes): void {
  registerRoute(app, parts);
  updateRoute(app, guard, parts.players);
}

function registerRoute(app: FastifyInstance, parts: AccountRoutes): void {
  const { path, body } = servedTemplateCalls.register;
  app.withTypeProvider<ZodTypeProvider>().post(
    `/${path}`,
    {
      schema: { body },
      bodyLimit: BODY_BYTES_MAX,
      // Its answer carries a token: never compressed together with what the caller sent.
      compress: false,
      onRequest: callLimit(app, parts.perHourAddress, undefined, HOUR_MS),
    },
    async (request, reply) => {
      const address = request.clientAddress;
      if (parts.isBlocked(request)) return sendProblem(reply, { name: "auth.ip_not_permitted" });
      if (!parts.open) return sendProblem(reply, { name: "registration.closed" });
      const done = await register(parts, request.body);
      if (done.is === "busy") return sendProblem(reply, { name: "request.too_many", params: { seconds: 5 } });
      void reply.header("cache-control", "no-store");
      // With 200, as the template's own back end does.
      if (done.is === "refused") return reply.send({ error: done.errors });
      const { player } = done;
      request.log.info({ playerId: player.id, address }, "registered");
      const language = languageOf(request.headers["accept-language"]);
      await parts.confirmAddress?.(player.id, { address: usernameKey(request.body.email), language });
      const opened = await parts.signIn(player, visitOf(request, "registration"));
      if (opened === undefined) return sendProblem(reply, { name: "auth.wrong" });
      return reply.send({
        user: accountUser(player, await parts.players.profile(player.id)),
        access_token: opened.token,
      });
    },
  );
}

/** The first language of the browser that mails are written in. */
function languageOf(accepted: string | undefined): Language {
  const tags = (accepted ?? "").slice(0, 200).split(",");
  const known = tags.map((tag) => LANGUAGES.find((language) => language === tag.trim().slice(0, 2).toLowerCase()));
  return known.find((language) => language !== undefined) ?? defaultSettings().language;
}

/** Writes what the player chose; name, e-mail and role are the operator's to change. */
function updateRoute(app: FastifyInstance, guard: Guard, players: AccountRoutes["players"]): void {
  const { path, body } = servedTemplateCalls.updateUser;
  app
    .withTypeProvider<ZodTypeProvider>()
    .post(`/${path}`, { schema: { body }, bodyLimit: BODY_BYTES_MAX * 2, onRequest: guard }, async (request, reply) => {
      const { playerId } = callerOf(request);
      const { uuid, data } = request.body.user;
      if (uuid !== playerId) return sendProblem(reply, { name: "request.invalid", detail: "uuid is another's" });
      const player = await players.find(playerId);
      if (!player) return sendProblem(reply, { name: "auth.signature" });
      const { settings, shortcuts } = data;
      const profile = await players.saveProfile(playerId, {
        ...(settings && { settings }),
        ...(shortcuts && { shortcuts }),
      });
      return reply.header("cache-control", "no-store").send(accountUser(player, profile));
    });
}

/** A player as the template's calls word a user. */
function accountUser(player: Player, { settings, shortcuts }: PlayerProfile): TemplateUser {
  return {
    uuid: player.id,
    from: "longarm",
    role: ["user"],
    data: {
      displayName: `${player.name} ${player.lastname}`.trim() || player.username,
      email: player.email,
      ...(settings && { settings }),
      ...(shortcuts && { shortcuts: [...shortcuts] }),
    },
  };
}

type RegisterParts = { readonly players: Players; readonly audit: Audit };

type Asked = z.output<(typeof servedTemplateCalls)["register"]["body"]>;
type FieldError = {
  /** `username` is the display name (decision D-53). */
  readonly type: "username" | "email" | "password";
  readonly message: string;
  readonly reason: RegisterReason;
};
type Registered =
  | { readonly is: "registered"; readonly player: Player }
  | { readonly is: "refused"; readonly errors: readonly FieldError[] }
  | { readonly is: "busy" };

const Email = z.email();
/** What steers a line of text instead of standing in it; the two joiners belong to words of Arabic and Persian. */
const STEERING = /[\p{Cc}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;
/** Invisible letters, and marks piled up until they cover the lines around: no script of people's names needs more than four. */
const UNSEEN_OR_PILED = /[\u115f\u1160\u3164\uffa0]|\p{M}{5}/u;

/**
 * Opens an account: an empty wallet, the group of all players, and the e-mail address as the name that signs in, since no other
 * one is given. Everything wrong with the fields is reported at once, except for an address that is taken: it is found by adding, after the same work as for
 * one that is free.
 */
async function register({ players, audit }: RegisterParts, asked: Asked): Promise<Registered> {
  const email = usernameKey(asked.email);
  const name = asked.displayName.normalize("NFC").trim().replaceAll(/\s+/gu, " ");
  const errors = [...nameErrors(name), ...emailErrors(email), ...(await passwordErrors(asked.password, email, name))];
  if (errors.length > 0) return { is: "refused", errors };
  const account = { username: email, email, name, password: asked.password, emailOnce: true };
  const added = await players.passwords.admit(() => players.add(account, (trx) => audit.within(trx).actAs("visitor")));
  if (added === "busy") return { is: "busy" };
  if (added.is === "known") return { is: "refused", errors: [TAKEN] };
  // Checked above by the same rules: what is refused now is ours to mend.
  if (added.is === "refused") throw new Error(`A registration was refused: ${added.sentence}`);
  const player = await players.find(added.id);
  if (!player) throw new Error("A player that was just added is not there");
  return { is: "registered", player };
}

const TAKEN: FieldError = { type: "email", reason: "taken", message: "The email address is already in use" };

export function nameErrors(name: string): FieldError[] {
  const isPlain = !STEERING.test(name) && !UNSEEN_OR_PILED.test(name);
  const fits = /[\p{L}\p{N}]/u.test(name) && isKeepable(name) && isPlain && name.length <= 100;
  return fits ? [] : [{ type: "username", reason: "invalid", message: "The display name must be plain text" }];
}

export function emailErrors(email: string): FieldError[] {
  const fits = z.safeParse(Email, email).success && email.length <= USERNAME_LENGTH_MAX;
  const message = `You must enter a valid email of at most ${USERNAME_LENGTH_MAX} letters`;
  return fits ? [] : [{ type: "email", reason: "invalid", message }];
}

const REASONS: Readonly<Partial<Record<ProblemName, RegisterReason>>> = {
  "password.too_short": "short",
  "password.too_common": "common",
};

async function passwordErrors(password: string, email: string, name: string): Promise<FieldError[]> {
  const [local = ""] = email.split("@");
  const problem = await newPasswordProblem(password, email, local, name);
  if (problem === null) return [];
  return [{ type: "password", reason: REASONS[problem] ?? "invalid", message: problems[problem].text }];
}
