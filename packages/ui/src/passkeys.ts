import type { PasskeyAssertion, PasskeyRegistration } from "@longarm/contract/passkeys";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from "@simplewebauthn/browser";

type Options = Record<string, unknown>;

/** The browser's passkeys. Each throws `PasskeyEnded`. */
export type Passkeys = {
  use(options: Options): Promise<PasskeyAssertion>;
  make(options: Options): Promise<PasskeyRegistration>;
  /** Whether the browser asks the person just now: the page may be covered by it. */
  busy(): boolean;
};

/**
 * The browser gave no answer. `cancelled`: the person closed its window, or let its time pass; browsers do not say which. `known`: this
 * authenticator holds one already. `none`: the browser or the address cannot use passkeys.
 */
export class PasskeyEnded extends Error {
  readonly why: "cancelled" | "known" | "none";
  constructor(why: PasskeyEnded["why"], options: ErrorOptions) {
    super(why, options);
    this.why = why;
  }
}

export function browserPasskeys(): Passkeys {
  let open = 0;
  async function during<T>(work: () => Promise<T>): Promise<T> {
    open += 1;
    try {
      return await work();
    } catch (error) {
      throw new PasskeyEnded(reasonOf(error), { cause: error });
    } finally {
      open -= 1;
    }
  }
  return {
    use: (options) =>
      during(
        async () =>
          (await startAuthentication({
            optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON,
          })) as PasskeyAssertion,
      ),
    make: (options) =>
      during(
        async () =>
          (await startRegistration({
            optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON,
          })) as PasskeyRegistration,
      ),
    busy: () => open > 0,
  };
}

function reasonOf(error: unknown): PasskeyEnded["why"] {
  const name = error instanceof Error ? error.name : "";
  if (name === "InvalidStateError") return "known";
  return name === "NotAllowedError" || name === "AbortError" ? "cancelled" : "none";
}

/** Whether this browser has passkeys at this address: they belong to a name, never to a number. */
export const hasPasskeys = (): boolean =>
  globalThis.isSecureContext && browserSupportsWebAuthn() && !/^[\d.]+$|:/.test(location.hostname);

/** Whether this browser offers passkeys beside a field (`autocomplete="username webauthn"`). */
export const offersInField = (): Promise<boolean> => browserSupportsWebAuthnAutofill();

/**
 * Offers passkeys beside the field until one is chosen. Undefined: none was, until `signal` or until a press requested a passkey, which ends the
 * offer by itself.
 */
export async function offerInField(options: Options, signal: AbortSignal): Promise<PasskeyAssertion | undefined> {
  let open = true;
  const end = () => void (open && WebAuthnAbortService.cancelCeremony());
  signal.addEventListener("abort", end);
  try {
    return (await startAuthentication({
      optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON,
      useBrowserAutofill: true,
      verifyBrowserAutofillInput: false,
    })) as PasskeyAssertion;
  } catch {
    return undefined;
  } finally {
    open = false;
    signal.removeEventListener("abort", end);
  }
}

/** Has the browser forget a passkey that the platform does not know any more, where it can. */
export async function forgetPasskey(rpId: string, credentialId: string): Promise<void> {
  const known = PublicKeyCredential as unknown as {
    signalUnknownCredential?(given: { rpId: string; credentialId: string }): Promise<void>;
  };
  await known.signalUnknownCredential?.({ rpId, credentialId }).catch(() => undefined);
}
