import { CheckAnswer } from "@longarm/contract/http";
import type { Settings } from "@longarm/contract/settings";
import type { Texts } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { Logo } from "@longarm/ui/logo.tsx";
import { usePageTitle } from "@longarm/ui/page-title.ts";
import type * as z from "zod/mini";
import { safeParse } from "zod/mini";
import { createStore } from "zustand/vanilla";
import { ContactLink } from "../../shared/contacts/contacts.tsx";
import type { Log } from "../../shared/log/log.ts";
import css from "../../shared/ui/gate.module.css";
import { Gate } from "../../shared/ui/gate.tsx";

/** The address gate: being checked, or closed and why. (Open, it is not drawn.) */
export function IpGateScreen({ gate, contacts }: { gate: IpGate; contacts: Settings["contacts"] }) {
  const { t } = useText();
  const { ipChecking, ipCheckState, found } = useLive(gate.state);
  const title = ipChecking || ipCheckState.isAllowed ? "gates.checking" : "gates.blockedTitle";
  usePageTitle(t(title));
  if (ipChecking || ipCheckState.isAllowed) {
    return (
      <main className={css["checking"]} aria-busy="true">
        <Logo className={css["logo"] ?? ""} />
        <div role="status">
          <h1>{t("gates.checking")}</h1>
        </div>
      </main>
    );
  }
  return (
    <Gate
      look="dark"
      lamp="fault"
      word={t(found === undefined ? "gates.uncheckedLamp" : "gates.blockedLamp")}
      title={t(found === undefined ? "gates.uncheckedTitle" : "gates.blockedTitle")}
      actions={
        <>
          <Key big onClick={() => void gate.check()}>
            {t("gates.checkAgain")}
          </Key>
          {contacts.map((contact) => (
            <ContactLink key={JSON.stringify(contact)} contact={contact} kind="bare" big />
          ))}
        </>
      }
    >
      <p>{found === undefined ? ipCheckState.message : <Named text={ipCheckState.message} {...found} />}</p>
    </Gate>
  );
}

/** A sentence with its country and address brought out; the address reads the same in every direction. */
function Named({ text, country, ip }: { text: string; country: string; ip: string }) {
  const at = [country, ip]
    .map((name) => ({ name, from: text.indexOf(name) }))
    .filter(({ name, from }) => name !== "" && from >= 0)
    .toSorted((one, other) => one.from - other.from);
  const parts = at.map(({ name, from }, index) => {
    const before = at[index - 1];
    const start = before === undefined ? 0 : before.from + before.name.length;
    return (
      <span key={name}>
        {text.slice(start, Math.max(start, from))}
        <b>
          <bdi>{name}</bdi>
        </b>
      </span>
    );
  });
  const last = at.at(-1);
  return (
    <>
      {parts}
      {text.slice(last === undefined ? 0 : last.from + last.name.length)}
    </>
  );
}

/** What the gate knows (specification section 3). `message` says why the address is refused. */
type IpGateState = {
  readonly ipChecking: boolean;
  readonly ipCheckState: { readonly isAllowed: boolean; readonly message: string };
  /** Country and address that the message names; undefined when the check itself failed. */
  readonly found: { readonly country: string; readonly ip: string } | undefined;
};

type IpGate = {
  readonly state: Live<IpGateState>;
  /** Asks, again if need be. */
  check(): Promise<void>;
};

type IpGateDeps = {
  readonly fetch: typeof fetch;
  /** The API base, ending in a slash. */
  readonly base: URL;
  readonly texts: Texts;
  /** The browser's own alert: it stops the page until it is read. */
  readonly alert: (text: string) => void;
  readonly log: Log;
};

/** How long the check may take before it counts as unanswered, ms. */
const CHECK_MS_MAX = 15_000;

export function createIpGate({ fetch, base, texts, alert, log }: IpGateDeps): IpGate {
  const state = createStore<IpGateState>(() => ({
    ipChecking: true,
    ipCheckState: { isAllowed: false, message: "" },
    found: undefined,
  }));
  const speech = () => texts.speech.getState();

  async function ask(): Promise<z.output<typeof CheckAnswer> | undefined> {
    const response = await fetch(new URL("../check", base), {
      headers: { accept: "application/json" },
      cache: "no-store",
      signal: AbortSignal.timeout(CHECK_MS_MAX),
    });
    if (response.status !== 200) throw new Error(`The check was answered with ${response.status}`);
    const read = safeParse(CheckAnswer, await response.json());
    if (!read.success) throw new Error("The check's answer is none that the contract knows");
    return read.data;
  }

  return {
    state,
    async check() {
      state.setState({ ipChecking: true, ipCheckState: { isAllowed: false, message: "" }, found: undefined });
      const answer = await ask().catch((error: unknown) => {
        log("The address could not be checked.", error);
        return undefined;
      });
      if (answer === undefined) {
        const message = speech().t("gates.checkFailed");
        alert(message);
        state.setState({ ipChecking: false, ipCheckState: { isAllowed: false, message } });
        return;
      }
      const isAllowed = ([true, 1, "allowed"] as unknown[]).includes(answer.status);
      const found = { country: answer.country || speech().t("gates.unknownCountry"), ip: answer.ip || "?" };
      const message = isAllowed ? "" : speech().t("gates.blocked", found);
      state.setState({ ipChecking: false, ipCheckState: { isAllowed, message }, found });
    },
  };
}
