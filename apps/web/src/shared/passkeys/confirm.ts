import type { PasskeyAnswer } from "@longarm/contract/passkeys";
import type { ConfirmedAct } from "@longarm/contract/player-keys";
import { keyCalls } from "@longarm/contract/player-keys";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import type { PasskeyEnded } from "@longarm/ui/passkeys.ts";
import { browserPasskeys } from "@longarm/ui/passkeys.ts";
import type { ApiClient } from "../api/client.ts";
import type { ApiFailure } from "../api/failure.ts";
import { failureText } from "../i18n/problem-text.ts";

/** A passkey's word for one act, or why there is none: the platform has none to request, or the browser gave none. */
type Confirmed = { readonly passkey: PasskeyAnswer } | Unconfirmed;
type Unconfirmed = { readonly failure: ApiFailure } | { readonly ended: PasskeyEnded["why"] };

/** Has a passkey of the player confirm one act, in place of the password or the PIN. */
export async function confirmByPasskey(api: Pick<ApiClient, "make">, act: ConfirmedAct): Promise<Confirmed> {
  const begun = await api.make(keyCalls.confirmAsk, { body: { act } });
  if (!begun.ok) return { failure: begun.failure };
  const { ceremony, options } = begun.data;
  try {
    return { passkey: { ceremony, response: await browserPasskeys().use(options) } };
  } catch (error) {
    return { ended: (error as PasskeyEnded).why };
  }
}

/** Why a form was not sent with a passkey, in texts of the area "keys". */
export function unconfirmedText(speech: Speech, by: Unconfirmed): string {
  if ("failure" in by) return failureText(speech, by.failure);
  return speech.t(by.ended === "none" ? "keys.unsupported" : "keys.cancelled");
}
