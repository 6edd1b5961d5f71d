import { useText } from "@longarm/ui/i18n/use-text.ts";
import { TabPanel, TabRoot, TabRow } from "@longarm/ui/tabs.tsx";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import floor from "../../../shared/ui/art/floor.webp";
import type { PageSidebar } from "./page-layout.tsx";
import { CardedLayout, SimpleLayout } from "./page-layout.tsx";
import css from "./variant-page.module.css";
import type { Variant } from "./variants.ts";

const LINES = Array.from({ length: 30 }, (_, line) => line);
const TABS = [
  "demo.itemOne",
  "demo.itemTwo",
  "demo.itemThree",
  "demo.itemFour",
  "demo.itemFive",
  "demo.itemSix",
  "demo.itemSeven",
] as const satisfies readonly TextKey[];

/** What draws one of the page layouts. */
export const variantPage =
  (kind: "carded" | "simple", variant: Variant) =>
  ({ title }: { readonly title: string }) => <VariantPage kind={kind} variant={variant} title={title} />;

type VariantProps = { readonly kind: "carded" | "simple"; readonly variant: Variant; readonly title: string };

function VariantPage({ kind, variant, title }: VariantProps) {
  const { t } = useText();
  const { side, tabbed, innerScroll, inside } = variant;
  const slots = {
    header: (
      <div className={css["heading"]}>
        <p className="plate">{t("demo.header")}</p>
        <h1 tabIndex={-1}>{title}</h1>
      </div>
    ),
    innerScroll: innerScroll && t("demo.content"),
    toolbar: tabbed ? (
      <TabRow label={t("demo.contentToolbar")} tabs={TABS.map((tab) => ({ value: tab, label: t(tab) }))} />
    ) : (
      <p className="plate">{t("demo.contentToolbar")}</p>
    ),
    ...(side && { [side]: sidebarOf(t("demo.sidebar"), t("demo.sidebarHeader")) }),
  };
  const content = tabbed ? TABS.map((tab) => <Tab key={tab} tab={tab} />) : <Untabbed />;
  const page =
    kind === "carded" ? (
      <CardedLayout {...slots}>{content}</CardedLayout>
    ) : (
      <SimpleLayout {...slots} inside={inside}>
        {content}
      </SimpleLayout>
    );
  return tabbed ? <TabRoot start={TABS[0]}>{page}</TabRoot> : page;
}

const sidebarOf = (label: string, header: string): PageSidebar => ({
  label,
  header: <h2>{header}</h2>,
  content: () => <Lines />,
});

function Tab({ tab }: { readonly tab: TextKey }) {
  const { t } = useText();
  return (
    <TabPanel value={tab}>
      <DemoText title={t(tab)} />
    </TabPanel>
  );
}

function Untabbed() {
  const { t } = useText();
  return (
    <div className={css["part"]}>
      <p className="plate">{t("demo.content")}</p>
      <DemoText />
    </div>
  );
}

function Lines() {
  const { t } = useText();
  return (
    <div className={css["part"]}>
      <p className="plate">{t("demo.sidebarContent")}</p>
      <ul className={css["list"]}>
        {LINES.map((line) => (
          <li key={line}>{t("demo.line")}</li>
        ))}
      </ul>
    </div>
  );
}

/** What fills the page layouts: a photo, a heading, some sentences and one that is quoted. */
function DemoText({ title }: { readonly title?: string | undefined }) {
  const { t } = useText();
  return (
    <article className={css["text"]}>
      <img src={floor} alt={t("demo.photo")} width={1600} height={1000} loading="lazy" decoding="async" />
      <h2>{title ?? t("demo.title")}</h2>
      <p className={css["lead"]}>{t("demo.subtitle")}</p>
      <p>{t("demo.first")}</p>
      <p>{t("demo.second")}</p>
      <blockquote>
        <p>{t("demo.quote")}</p>
        <footer>{t("demo.quoted")}</footer>
      </blockquote>
      <p>{t("demo.third")}</p>
    </article>
  );
}

/** A blank page: nothing but what it says. */
export function BlankPage() {
  return (
    <div className={css["blank"]}>
      <DemoText />
    </div>
  );
}
