import type { Language } from "@longarm/contract/settings";
import { deviceOf } from "@longarm/contract/user-agent";
import type { Clock } from "../../../clock.ts";
import type { AnyDb } from "../../../deps.ts";
import { limitKey } from "../../../plugins/client-address.ts";
import type { Random } from "../../../random.ts";
import { queueMail } from "../../talk/mail/index.ts";
import type { Player } from "../accounts/index.ts";
import { addressOf, findPlayer } from "../accounts/index.ts";
import type { Visit } from "./session-rows.ts";
import type { AuthTables } from "./tables.ts";

type NoticeParts = { readonly random: Random; readonly clock: Pick<Clock, "now">; readonly timeZone: string };
type Noticed = Pick<Player, "id" | "username">;

type Change =
  | ("passwordChanged" | "passkeyAdded" | "passkeyRemoved" | "appAdded" | "appRemoved")
  | ("linkAdded" | "linkRemoved" | "keysRemoved" | "movedHere");
/** Has a notice of a change sent, where the platform sends mail. */
export const noticeOf =
  (notices: Notices | null, playerId: string, kind: Change) =>
  async (trx: AnyDb): Promise<void> =>
    await notices?.changed(trx, playerId, kind);

/** Mails about what happened to an account. Who has no confirmed address receives none. */
export interface Notices {
  /** What signs the player in, or where mail arrives, is another now, within the same transaction. No setting keeps it back. */
  changed(trx: AnyDb, playerId: string, kind: Change): Promise<void>;
  /** A sign-in was opened, within the same transaction: a notice leaves where its browser or its network is new. */
  signedIn(trx: AnyDb, player: Noticed, jti: string, visit: Visit): Promise<void>;
}

/** What leaves without a mail server would wait for ever: create them only where there is one. */
export function createNotices({ random, clock, timeZone }: NoticeParts): Notices {
  return {
    async changed(trx, playerId, kind) {
      const own = await addressOf(trx, playerId);
      const player = own && (await findPlayer(trx, playerId));
      if (player) await queueMail(trx, random, { ...own, kind, facts: { username: player.username } });
    },
    async signedIn(trx, { id, username }, jti, visit) {
      const own = await addressOf(trx, id);
      if (own === undefined || (await isKnown(trx, id, jti, visit))) return;
      const facts = {
        username,
        device: deviceOf(visit.device) || "?",
        address: visit.address,
        time: timeText(clock.now(), own.language, timeZone),
      };
      await queueMail(trx, random, { ...own, kind: "newSignIn", facts });
    },
  };
}

/** The browser without its version, which changes every few weeks. */
const kindOf = (device: string): string => device.replaceAll(/[\d._]+/g, "");

/** Whether this browser was signed in from this network lately: the rows of ended sign-ins are kept for some weeks. */
async function isKnown(trx: AnyDb, playerId: string, jti: string, { address, device }: Visit): Promise<boolean> {
  const rows = await trx
    .withTables<AuthTables>()
    .selectFrom("auth_session")
    .select(["address", "device"])
    .distinct()
    .where("player_id", "=", playerId)
    .where("jti", "!=", jti)
    .limit(500)
    .execute();
  return rows.some((row) => limitKey(row.address) === limitKey(address) && kindOf(row.device) === kindOf(device));
}

function timeText(at: number, language: Language, timeZone: string): string {
  const locale = { en: "en-GB", tr: "tr-TR", ar: "ar-u-nu-latn" }[language];
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "long", timeZone }).format(at);
}
