import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { startAuthentication, startRegistration } from "@simplewebauthn/browser";
import type { BodyOf } from "./api.ts";

type Options = Record<string, unknown>;
export type Assertion = BodyOf<"stepUpFinish">["response"];
export type Registration = BodyOf<"addPasskeyFinish">["response"];

/** The browser's passkeys. Each throws `PasskeyEnded`. */
export type Passkeys = {
  use(options: Options): Promise<Assertion>;
  make(options: Options): Promise<Registration>;
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
          })) as Assertion,
      ),
    make: (options) =>
      during(
        async () =>
          (await startRegistration({
            optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON,
          })) as Registration,
      ),
    busy: () => open > 0,
  };
}

function reasonOf(error: unknown): PasskeyEnded["why"] {
  const name = error instanceof Error ? error.name : "";
  if (name === "InvalidStateError") return "known";
  return name === "NotAllowedError" || name === "AbortError" ? "cancelled" : "none";
}
