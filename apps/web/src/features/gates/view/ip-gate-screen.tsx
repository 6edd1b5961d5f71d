import type { Settings } from "@longarm/contract/settings";
import { useEffect } from "react";
import { ContactLink } from "../../../shared/contacts/contact-links.tsx";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { Key } from "../../../shared/ui/key.tsx";
import { Logo } from "../../../shared/ui/logo.tsx";
import type { IpGate } from "../model/ip-gate.ts";
import css from "./gate.module.css";
import { Gate } from "./gate.tsx";

/** The address gate: being checked, or shut and why. (Open, it is not there.) */
export function IpGateScreen({ gate, contacts }: { gate: IpGate; contacts: Settings["contacts"] }) {
  const { t } = useText();
  const { ipChecking, ipCheckState, found } = useLive(gate.state);
  const title = ipChecking || ipCheckState.isAllowed ? "gates.checking" : "gates.blockedTitle";
  useEffect(() => {
    document.title = `${t(title)} · Longarm`;
  }, [t, title]);
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
