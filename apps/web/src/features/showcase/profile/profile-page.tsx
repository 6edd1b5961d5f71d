import { useState } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { Avatar } from "../../../shared/ui/avatar/avatar.tsx";
import { Key } from "../../../shared/ui/key.tsx";
import { TabPanel, TabRoot, TabRow } from "../../../shared/ui/tabs/tabs.tsx";
import cover from "../art/cover.webp";
import { useHost } from "../host.ts";
import { SAMPLE_PERSON } from "../sample-person.ts";
import { About } from "./about.tsx";
import { Photos } from "./photos.tsx";
import css from "./profile.module.css";
import { Timeline } from "./timeline.tsx";

const TABS = { timeline: Timeline, about: About, photos: Photos } as const;
const NAMES = ["timeline", "about", "photos"] as const;

/** Somebody's page: a picture, who it is, and three tabs. */
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

/** Its palette is night, since its picture is. */
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
