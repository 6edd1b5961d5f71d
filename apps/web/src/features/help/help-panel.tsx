import type { Settings } from "@longarm/contract/settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { keyClass } from "@longarm/ui/key.tsx";
import { useId } from "react";
import { ContactLink, isReachable, operatorText } from "../../shared/contacts/contacts.tsx";
import { Points } from "../../shared/ui/points.tsx";
import css from "./help.module.css";

type Place = Settings["helpList"][number];
export type HelpPanelProps = Pick<Settings, "helpList" | "contacts">;

/** The tab Help of Safer play: the market's helpline, further places, the casino's own contacts, and what can be done now. */
export function HelpPanel({ helpList, contacts }: HelpPanelProps) {
  const { t } = useText();
  const at = helpList.findIndex(({ phone }) => phone !== undefined && phone !== "");
  const line = helpList[at];
  const others = helpList.filter((_, index) => index !== at);
  return (
    <div className={css["help"]}>
      {line?.phone !== undefined && <Helpline place={line} phone={line.phone} />}
      {helpList.length === 0 && <p className={css["none"]}>{t("help.none")}</p>}
      {(others.length > 0 || contacts.some(isReachable)) && (
        <ul className={css["places"]}>
          {others.map((place) => (
            <OtherPlace key={JSON.stringify(place)} place={place} />
          ))}
          {contacts
            .filter(isReachable)
            .slice(0, 1)
            .map((contact) => (
              <li key={JSON.stringify(contact)}>
                <b>{t("help.ours")}</b>
                <ContactLink contact={contact} />
                <p>{t("help.oursAbout")}</p>
              </li>
            ))}
        </ul>
      )}
      <Points
        title={t("help.nowTitle")}
        points={[
          { icon: "lock", title: t("help.limit"), about: t("help.limitAbout") },
          { icon: "clock", title: t("help.break"), about: t("help.breakAbout") },
          { icon: "info", title: t("help.check"), about: t("help.checkAbout") },
          { icon: "transactions", title: t("help.games"), about: t("help.gamesAbout") },
        ]}
      />
    </div>
  );
}

/** The organisations that help, for a page of few words: nothing where the operator has entered none. */
export function HelpPlaces({ helpList }: Pick<Settings, "helpList">) {
  const { t } = useText();
  const id = useId();
  if (helpList.length === 0) return null;
  return (
    <section aria-labelledby={id} className={css["short"]}>
      <h2 id={id}>{t("help.places")}</h2>
      <ul className={css["places"]}>
        {helpList.map((place) => (
          <OtherPlace key={JSON.stringify(place)} place={place} />
        ))}
      </ul>
    </section>
  );
}

/** The number as a figure that is read from across a room, and a key that calls it. */
function Helpline({ place, phone }: { readonly place: Place; readonly phone: string }) {
  const { t, language } = useText();
  return (
    <section className={css["line"]}>
      <span className={`${css["number"]} num`} aria-hidden="true">
        <bdi>{phone}</bdi>
      </span>
      <div>
        <h2>{operatorText(place.name, language)}</h2>
        {place.about !== undefined && <p>{operatorText(place.about, language)}</p>}
      </div>
      <a className={keyClass({ big: true })} href={callAddress(phone)}>
        {t("help.call", { phone: `\u2066${phone}\u2069` })}
      </a>
    </section>
  );
}

function OtherPlace({ place: { name, about, phone, url } }: { readonly place: Place }) {
  const { t, language } = useText();
  const title = operatorText(name, language);
  const label = {
    "aria-label": `${title}: ${url === undefined ? t("help.call", { phone: phone ?? "" }) : t("help.visit")}`,
  };
  return (
    <li>
      <b>{title}</b>
      {url === undefined ? (
        <a className={keyClass({})} href={callAddress(phone ?? "")} {...label}>
          {t("help.call", { phone: `\u2066${phone}\u2069` })}
        </a>
      ) : (
        <a className={keyClass({})} href={url} target="_blank" rel="noopener noreferrer" {...label}>
          {t("help.visit")}
        </a>
      )}
      {about !== undefined && <p>{operatorText(about, language)}</p>}
    </li>
  );
}

/** Digits and a leading plus alone: no setting can name another scheme. */
const callAddress = (phone: string): string =>
  `tel:${phone.trim().startsWith("+") ? "+" : ""}${phone.replace(/\D/g, "")}`;
