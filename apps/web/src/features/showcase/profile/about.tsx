import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { timeFormat } from "../../../shared/time/time-text.ts";
import type { IconName } from "../../../shared/ui/icon-paths.ts";
import { SAMPLE_PERSON } from "../sample-person.ts";
import { Panel } from "./panel.tsx";
import { PersonLine } from "./person-line.tsx";
import css from "./profile.module.css";

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
export function About() {
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
