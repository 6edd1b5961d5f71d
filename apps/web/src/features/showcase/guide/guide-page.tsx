import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Link } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { Suspense, useEffect } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { paths } from "../../../shared/paths/paths.ts";
import { CodeSample } from "../gallery/samples.tsx";
import type { ShowcaseHost } from "../host.ts";
import { useHost } from "../host.ts";
import { SimpleLayout } from "../page-layouts/page-layout.tsx";
import css from "./guide.module.css";
import {
  Amounts,
  Choices,
  Fields,
  Keys,
  Lamps,
  Marks,
  NavigationDemo,
  Notices,
  Sayings,
  Sheets,
  TabSpecimen,
} from "./specimens.tsx";

/** How to build on the interface, and every part of it in every state: a page that explains itself by what it is made of. */
export function GuidePage({ title }: { readonly title: string }) {
  const { t } = useText();
  const contents = t("guide.contents");
  return (
    <SimpleLayout
      header={
        <div className={css["head"]}>
          <h1 tabIndex={-1}>{title}</h1>
          <p>{t("guide.subtitle")}</p>
        </div>
      }
      start={{ label: contents, header: <h2>{contents}</h2>, content: (leave) => <Contents leave={leave} /> }}
    >
      <div className={css["chapters"]}>
        {PARTS_OF_GUIDE.map((part) => (
          <section key={part.title} aria-label={t(part.title)}>
            <p className="plate">{t(part.title)}</p>
            {part.chapters.map((chapter) => (
              <ChapterText key={chapter.id} {...chapter} />
            ))}
          </section>
        ))}
      </div>
    </SimpleLayout>
  );
}

function Contents({ leave }: { readonly leave: (to: string) => void }) {
  const { t } = useText();
  return (
    <nav className={css["contents"]} aria-label={t("guide.contents")}>
      {PARTS_OF_GUIDE.map((part) => (
        <div key={part.title}>
          <p className="plate">{t(part.title)}</p>
          <ul>
            {part.chapters.map(({ id, title }) => (
              <li key={id}>
                <Link
                  to={paths.documentation}
                  hash={id}
                  activeOptions={{ includeHash: true }}
                  onClick={() => leave(id)}
                >
                  {t(title)}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function ChapterText({ id, title, texts, code, Live: Own, states }: Chapter) {
  const { t } = useText();
  const host = useHost();
  const Live = states === undefined ? Own : host.states[states];
  return (
    <article className={css["chapter"]} aria-labelledby={id}>
      <h2 id={id} tabIndex={-1}>
        {t(title)}
      </h2>
      {texts.map((text) => (
        <p key={text}>{t(text)}</p>
      ))}
      {Live && (
        <div className={css["live"]}>
          <Suspense fallback={<p>{t("app.loading")}</p>}>
            <Live />
            <Settled />
          </Suspense>
        </div>
      )}
      {code && <CodeSample name={t(title)} code={code} />}
    </article>
  );
}

/** What is drawn late moves the page: the chapter of the address is gone to again. */
function Settled() {
  useEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), []);
  return null;
}

/** A chapter of the guide: what to know, what to write, what it looks like. */
type Chapter = {
  /** What addresses of it end in. */
  readonly id: string;
  readonly title: TextKey;
  readonly texts: readonly TextKey[];
  readonly code?: string;
  readonly Live?: ComponentType;
  /** Parts of other features, which the app has. */
  readonly states?: keyof ShowcaseHost["states"];
};

/** How the interface is built on. */
const BUILDING: readonly Chapter[] = [
  {
    id: "start",
    title: "guide.start",
    texts: ["guide.startThird", "guide.startFirst", "guide.startSecond"],
    code: "npm start",
  },
  {
    ...{ id: "page", title: "guide.page", texts: ["guide.pageFirst", "guide.pageSecond"] },
    code: `{
  path: "/ui/my-page",
  title: "My page",
  label: "pages.myPage",
  auth: ["admin", "staff", "user"],
  areas: ["myArea"],
  load: async () => (await import("./my-page.tsx")).MyPage,
}`,
  },
  {
    ...{ id: "page-layout", title: "guide.pageLayout", texts: ["guide.pageLayoutFirst", "guide.pageLayoutSecond"] },
    code: `<SimpleLayout
  header={<h1>{title}</h1>}
  toolbar={<Key>{t("app.close")}</Key>}
  start={{ label, header: <h2>{label}</h2>, content: () => <Filters /> }}
  innerScroll={t("myArea.list")}
>
  <List />
</SimpleLayout>`,
  },
  {
    ...{ id: "layout", title: "guide.layout", texts: ["guide.layoutFirst", "guide.layoutSecond"] },
    code: `layout: { mode: "boxed", navbar: { folded: true }, footer: { display: false } }`,
  },
  {
    ...{ id: "navigation", title: "guide.navigation", texts: ["guide.navigationFirst", "guide.navigationSecond"] },
    code: `{
  id: "inbox",
  type: "item", // group, collapse, item, link or divider
  title: "Inbox",
  label: "pages.inbox",
  icon: "chat",
  url: "/inbox",
  exact: true,
  badge: { title: "3", bg: "ink", fg: "room" },
  auth: ["user"],
}`,
    Live: NavigationDemo,
  },
  {
    ...{ id: "palette", title: "guide.palette", texts: ["guide.paletteFirst", "guide.paletteSecond"] },
    code: `// tooling/palettes/seeds.ts, then npm run generate
ember: { hue: 38, chroma: 0.03, metal: "copper" },`,
    states: "palettes",
  },
  {
    ...{ id: "texts", title: "guide.texts", texts: ["guide.textsFirst", "guide.textsSecond"] },
    code: `const { t } = useText();
t("lobby.free", { count: 12 });`,
  },
  {
    ...{ id: "styles", title: "guide.styles", texts: ["guide.stylesFirst", "guide.stylesSecond"] },
    code: `.card { padding-inline: var(--s-4); border-radius: var(--r-cab); background: var(--raised); }`,
  },
  {
    ...{ id: "type", title: "guide.type", texts: ["guide.typeFirst"] },
    code: `<p className="plate">…</p>
.lead { font-size: var(--t-lead); }`,
  },
];

/** What it is built of, in every state. */
const PARTS: readonly Chapter[] = [
  {
    ...{ id: "keys", title: "guide.keys", texts: ["guide.keysFirst"], Live: Keys },
    code: `<Key kind="brass" icon="transfer" busy={busy} onClick={send}>{t("…")}</Key>
<IconButton icon="star" label={t("…")} pressed={on} />`,
  },
  {
    ...{ id: "fields", title: "guide.fields", texts: ["guide.fieldsFirst"], Live: Fields },
    code: `<Field label={t("…")} note={t("…")} error={errors.email} />`,
  },
  {
    ...{ id: "choices", title: "guide.choices", texts: ["guide.choicesFirst"], Live: Choices },
    code: `<Segment label={t("…")} value={period} onChange={setPeriod} options={periods} />
<Check label={t("…")} defaultChecked />`,
  },
  {
    ...{ id: "tabs", title: "guide.tabs", texts: ["guide.tabsFirst"], Live: TabSpecimen },
    code: `<TabRoot start="day">
  <TabRow label={t("…")} tabs={tabs} />
  <TabPanel value="day">…</TabPanel>
</TabRoot>`,
  },
  {
    ...{ id: "lamps", title: "guide.lamps", texts: ["guide.lampsFirst"], Live: Lamps },
    code: `<Lamp status="waiting">{t("lobby.waiting")}</Lamp>`,
  },
  {
    ...{ id: "money", title: "guide.money", texts: ["guide.moneyFirst"], Live: Amounts },
    code: `<Money minor={-500_000} tone="ink" signed />`,
  },
  {
    ...{ id: "sheets", title: "guide.sheets", texts: ["guide.sheetsFirst"], Live: Sheets },
    code: `<Sheet open={open} onClose={close} title={t("…")} form="end">…</Sheet>`,
  },
  {
    ...{ id: "messages", title: "guide.messages", texts: ["guide.messagesFirst"], Live: Sayings },
    code: `app.messages.say("good", t("…"));`,
  },
  {
    ...{ id: "notices", title: "guide.notices", texts: ["guide.noticesFirst"], Live: Notices },
    code: `<Notice title={t("…")} body={t("…")}><Key>{t("…")}</Key></Notice>`,
  },
  {
    ...{ id: "icons", title: "guide.marks", texts: ["guide.marksFirst"], Live: Marks },
    code: `<Icon name="machine" />
<Avatar name="Deniz Aydın" />`,
  },
  { id: "controls", title: "guide.controls", texts: ["guide.controlsFirst"], states: "controls" },
  { id: "machines", title: "guide.machines", texts: ["guide.machinesFirst"], states: "machines" },
];

const PARTS_OF_GUIDE = [
  { title: "guide.building", chapters: BUILDING },
  { title: "guide.parts", chapters: PARTS },
] as const;
