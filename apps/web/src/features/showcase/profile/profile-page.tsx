import { Avatar } from "@longarm/ui/avatar.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import { Key } from "@longarm/ui/key.tsx";
import { TabPanel, TabRoot, TabRow } from "@longarm/ui/tabs.tsx";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import { useState } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import cover from "../art/cover.webp";
import { SAMPLE_PERSON, useHost } from "../host.ts";
import { Panel, PersonLine, Picture } from "./cards.tsx";
import css from "./profile.module.css";
import { Timeline } from "./timeline.tsx";

const TABS = { timeline: Timeline, about: About, photos: Photos } as const;
const NAMES = ["timeline", "about", "photos"] as const;

/** The page of a person: a photo, the name, and three tabs. */
export function SampleProfile() {
  const { t } = useText();
  const tabs = NAMES.map((value) => ({ value, label: t(`templateSample.${value}`) }));
  return (
    <TabRoot start="timeline">
      <Cover />
      <TabRow label={t("templateSample.parts")} tabs={tabs} className={css["tabs"] ?? ""} />
      <div className={css["content"]}>
        {NAMES.map((name) => {
          const Part = TABS[name];
          return (
            <TabPanel key={name} value={name}>
              <Part />
            </TabPanel>
          );
        })}
      </div>
    </TabRoot>
  );
}

/** Its palette is night, since its photo is. */
function Cover() {
  const { t } = useText();
  const { say } = useHost();
  const [follows, setFollows] = useState(false);
  return (
    <div className={css["cover"]} data-palette="night">
      <img src={cover} width={1600} height={900} alt="" />
      <div className={css["who"]}>
        <Avatar name={SAMPLE_PERSON.name} className={css["face"] ?? ""} />
        <div>
          <h1>
            <bdi>{SAMPLE_PERSON.name}</bdi>
          </h1>
          <p>{t("templateSample.occupationText")}</p>
        </div>
        <div className={css["keys"]}>
          <Key icon={follows ? "check" : "plus"} aria-pressed={follows} onClick={() => setFollows(!follows)}>
            {t("templateSample.follow")}
          </Key>
          <Key icon="chat" onClick={() => say("info", t("templateSample.example"))}>
            {t("templateSample.sendMessage")}
          </Key>
        </div>
      </div>
    </div>
  );
}

const FACTS = {
  general: ["gender", "birthday", "locations", "aboutMe"],
  work: ["occupation", "skills", "jobs"],
  contact: ["address", "telephone", "website", "emails"],
} as const;
type Fact = (typeof FACTS)[keyof typeof FACTS][number];
const ICONS: Readonly<Record<keyof typeof FACTS, IconName>> = { general: "player", work: "machine", contact: "chat" };

const BORN = "1991-04-17";
/** What is written the same in every language. */
const PLAIN: Readonly<Partial<Record<Fact, string>>> = {
  address: "1453 Sokak 12, Alsancak, İzmir",
  telephone: "+90 555 000 00 17",
  website: "selin.longarm.example",
  emails: SAMPLE_PERSON.email,
};
/** The others. */
const WORDED: Readonly<Partial<Record<Fact, TextKey>>> = {
  gender: "templateSample.female",
  locations: "templateSample.cities",
  aboutMe: "templateSample.aboutMeText",
  occupation: "templateSample.occupationText",
  skills: "templateSample.skillsText",
  jobs: "templateSample.jobsText",
};
const FRIENDS = ["Elif Kaya", "Bora Tekin", "Mina Haddad", "Nora Lind", "Tarık Usta", "Jonas Berg", "Omar Nasser"];
const GROUPS = ["Floor", "Reels", "Tea"] as const;

/** Facts about the sample person, friends and groups. */
function About() {
  const { t, language } = useText();
  const born = timeFormat(language, { dateStyle: "long", timeZone: "UTC" }).format(Date.parse(BORN));
  const textOf = (fact: Fact) => (WORDED[fact] ? t(WORDED[fact]) : (PLAIN[fact] ?? born));
  return (
    <div className={css["columns"]}>
      <div>
        {(["general", "work", "contact"] as const).map((part) => (
          <Panel key={part} title={t(`templateSample.${part}`)} icon={ICONS[part]}>
            <dl>
              {FACTS[part].map((fact) => (
                <div key={fact}>
                  <dt>{t(`templateSample.${fact}`)}</dt>
                  <dd>
                    <bdi>{textOf(fact)}</bdi>
                  </dd>
                </div>
              ))}
            </dl>
          </Panel>
        ))}
      </div>
      <div>
        <Panel title={t("templateSample.friends")} icon="heart" count={FRIENDS.length}>
          <ul className={css["people"]}>
            {FRIENDS.map((name) => (
              <li key={name}>
                <PersonLine name={name}>
                  <bdi>{name}</bdi>
                </PersonLine>
              </li>
            ))}
          </ul>
        </Panel>
        <Panel title={t("templateSample.groups")} icon="star" count={GROUPS.length}>
          <ul className={css["people"]}>
            {GROUPS.map((group) => (
              <li key={group}>
                <PersonLine name={t(`templateSample.group${group}`)} small={t(`templateSample.group${group}About`)}>
                  {t(`templateSample.group${group}`)}
                </PersonLine>
              </li>
            ))}
          </ul>
        </Panel>
      </div>
    </div>
  );
}

const PERIODS = [
  {
    month: "2026-10-01",
    info: "templateSample.periodOpening",
    pictures: ["nar-1", "kuzey-1", "mercan-1", "pera-1"],
  },
  { month: "2026-06-01", info: "templateSample.periodTests", pictures: ["nar-2", "mercan-3", "pera-2", "kuzey-3"] },
] as const;

/** Pictures by month. */
function Photos() {
  const { t, language } = useText();
  const month = timeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" });
  return PERIODS.map((period) => (
    <section key={period.month} className={css["period"]} aria-labelledby={period.month}>
      <h2 id={period.month}>{month.format(Date.parse(period.month))}</h2>
      <p>{t(period.info)}</p>
      <ul>
        {period.pictures.map((picture) => (
          <li key={picture}>
            <Picture of={picture} />
          </li>
        ))}
      </ul>
    </section>
  ));
}
