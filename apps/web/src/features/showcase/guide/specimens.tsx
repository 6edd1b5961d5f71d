import { Avatar } from "@longarm/ui/avatar.tsx";
import { Check, Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import type { KeyKind } from "@longarm/ui/key.tsx";
import { IconButton, Key } from "@longarm/ui/key.tsx";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Logo, LogoMark } from "@longarm/ui/logo.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { Notice } from "@longarm/ui/notice.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { Switch } from "@longarm/ui/switch.tsx";
import { TabPanel, TabRoot, TabRow } from "@longarm/ui/tabs.tsx";
import type { ReactNode } from "react";
import { useState } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { HorizontalNavigation } from "../../../shared/navigation/horizontal.tsx";
import type { NavigationItem, NavigationViewer } from "../../../shared/navigation/navigation.ts";
import { visibleTree } from "../../../shared/navigation/navigation.ts";
import { VerticalNavigation } from "../../../shared/navigation/vertical.tsx";
import { paths } from "../../../shared/paths/paths.ts";
import { useHost } from "../host.ts";
import css from "./guide.module.css";

const KINDS: readonly KeyKind[] = ["plain", "brass", "line", "bare", "danger"];
const LAMPS = {
  available: "lobby.available",
  playing: "lobby.playing",
  waiting: "lobby.waiting",
  reserved: "lobby.reserved",
  off: "lobby.notAvailable",
  fault: "guide.fault",
} as const satisfies Record<LampStatus, TextKey>;

const Row = ({ children }: { readonly children: ReactNode }) => <div className={css["row"]}>{children}</div>;

/** Every kind of key, then every state of one. */
export function Keys() {
  const { t } = useText();
  const [on, setOn] = useState(true);
  return (
    <>
      <Row>
        {KINDS.map((kind) => (
          <Key key={kind} kind={kind}>
            {t(`guide.key-${kind}`)}
          </Key>
        ))}
      </Row>
      <Row>
        <Key icon="transfer">{t("guide.withIcon")}</Key>
        <Key disabled>{t("guide.disabled")}</Key>
        <Key busy>{t("guide.busy")}</Key>
        <IconButton
          icon="star"
          label={t("guide.pressed")}
          kind="plain"
          pressed={on}
          filled={on}
          onClick={() => setOn(!on)}
        />
        <Key kind="line" big>
          {t("guide.big")}
        </Key>
      </Row>
    </>
  );
}

export function Fields() {
  const { t } = useText();
  return (
    <div className={css["fields"]}>
      <Field label={t("guide.field")} note={t("guide.fieldNote")} placeholder="deniz.aydin" />
      <Field label={t("guide.invalid")} error={t("guide.fieldError")} defaultValue="abc" />
      <Field label={t("guide.disabled")} defaultValue="deniz.aydin" disabled />
      <Field label={t("guide.withIcon")} type="search" before={<Icon name="search" />} />
    </div>
  );
}

export function Choices() {
  const { t } = useText();
  const [period, setPeriod] = useState("week");
  const [on, setOn] = useState(true);
  const periods = (["day", "week", "month"] as const).map((value) => ({ value, label: t(`guide.${value}`) }));
  return (
    <Row>
      <Segment label={t("guide.period")} value={period} onChange={setPeriod} options={periods} />
      <Check label={t("guide.ticked")} defaultChecked />
      <Check label={t("guide.unticked")} />
      <Switch label={t("guide.switch")} on={on} onChange={setOn} />
    </Row>
  );
}

export function Lamps() {
  const { t } = useText();
  return (
    <Row>
      {Object.entries(LAMPS).map(([status, word]) => (
        <Lamp key={status} status={status as LampStatus}>
          {t(word)}
        </Lamp>
      ))}
    </Row>
  );
}

export function Amounts() {
  return (
    <Row>
      <Money minor={1_245_075} className={css["amount"] ?? ""} />
      <Money minor={500_000} signed />
      <Money minor={-500_000} tone="ink" />
      <Money minor={0} tone="ink" />
    </Row>
  );
}

export function Sheets() {
  const { t } = useText();
  const [open, setOpen] = useState<"sheet" | "drawer" | "end">();
  const [form, setForm] = useState<"sheet" | "drawer" | "end">("sheet");
  const close = () => setOpen(undefined);
  return (
    <Row>
      {(["sheet", "drawer", "end"] as const).map((next) => (
        <Key
          key={next}
          aria-haspopup="dialog"
          onClick={() => {
            setForm(next);
            setOpen(next);
          }}
        >
          {t(`guide.form-${next}`)}
        </Key>
      ))}
      <Sheet open={open !== undefined} onClose={close} title={t("guide.sheets")} form={form}>
        <div className={css["inSheet"]}>
          <p>{t("guide.sheetBody")}</p>
          <Key kind="brass" onClick={close}>
            {t("app.close")}
          </Key>
        </div>
      </Sheet>
    </Row>
  );
}

export function Notices() {
  const { t } = useText();
  return (
    <Notice title={t("guide.noticeTitle")} body={t("guide.noticeBody")}>
      <Key>{t("guide.noticeKey")}</Key>
    </Notice>
  );
}

export function Sayings() {
  const { t } = useText();
  const { say } = useHost();
  return (
    <Row>
      {(["good", "bad", "info"] as const).map((kind) => (
        <Key key={kind} onClick={() => say(kind, t(`guide.said-${kind}`))}>
          {t(`guide.say-${kind}`)}
        </Key>
      ))}
    </Row>
  );
}

export function TabSpecimen() {
  const { t } = useText();
  const tabs = (["day", "week", "month"] as const).map((value) => ({ value, label: t(`guide.${value}`) }));
  return (
    <TabRoot start="day">
      <TabRow label={t("guide.period")} tabs={tabs} />
      {tabs.map(({ value, label }) => (
        <TabPanel key={value} value={value}>
          <p>{t("guide.tabBody", { name: label })}</p>
        </TabPanel>
      ))}
    </TabRoot>
  );
}

export function Marks() {
  return (
    <Row>
      <Logo className={css["logo"] ?? ""} />
      <LogoMark className={css["mark"] ?? ""} />
      <Avatar name="Deniz Aydın" />
      <Avatar name="Elif Kaya" />
      <Icon name="machine" />
      <Icon name="star" filled />
    </Row>
  );
}

const VIEWERS = {
  guest: { roles: [], permissions: undefined, type: undefined },
  player: { roles: ["user"], permissions: ["145"], type: "player" },
  admin: { roles: ["admin"], permissions: [], type: undefined },
} as const satisfies Record<string, NavigationViewer>;
type Who = keyof typeof VIEWERS;

/** Both forms of the navigation with an entry of every kind, as one viewer or another sees it. */
export function NavigationDemo() {
  const { t } = useText();
  const [who, setWho] = useState<Who>("player");
  const items = visibleTree(DEMO_NAVIGATION, VIEWERS[who]);
  const options = (["guest", "player", "admin"] as const).map((value) => ({
    value,
    label: t(`guide.viewer-${value}`),
  }));
  return (
    <>
      <Segment label={t("guide.viewer")} value={who} onChange={setWho} options={options} />
      <nav className={css["line"]} aria-label={t("guide.horizontal")} data-region="navbar">
        <HorizontalNavigation items={items} />
      </nav>
      <nav className={css["tree"]} aria-label={t("guide.vertical")} data-region="navbar">
        <VerticalNavigation items={items} />
      </nav>
    </>
  );
}

/** Every kind of entry and every field that one may have (row R-3-22). */
const DEMO_NAVIGATION: readonly NavigationItem[] = [
  {
    ...{ id: "demo-group", type: "group", title: "Group", label: "guide.navGroup" },
    children: [
      {
        ...{ id: "demo-item", type: "item", title: "Item", label: "guide.navItem", icon: "info" },
        ...{ url: paths.documentation, exact: true, badge: { title: "3", bg: "ink", fg: "room" } },
      },
      {
        ...{ id: "demo-collapse", type: "collapse", title: "Collapse", label: "guide.navCollapse", icon: "columns" },
        children: [
          { id: "demo-child", type: "item", title: "Icons", label: "pages.icons", url: "/ui/icons" },
          {
            ...{ id: "demo-deeper", type: "collapse", title: "Deeper", label: "guide.navDeeper" },
            children: [
              { id: "demo-leaf", type: "item", title: "Typography", label: "pages.typography", url: "/ui/typography" },
            ],
          },
        ],
      },
    ],
  },
  {
    ...{ id: "demo-more", type: "group", title: "More", label: "guide.navMore" },
    children: [
      {
        ...{ id: "demo-link", type: "link", title: "Link", label: "guide.navLink", icon: "download" },
        ...{ url: "/ui/helper-classes", target: "_blank" },
      },
      { id: "demo-divider", type: "divider", title: "Divider" },
      {
        ...{ id: "demo-players", type: "item", title: "Players", label: "guide.navPlayers", icon: "player" },
        ...{ url: paths.profile, auth: ["user"], levels: ["145"], types: ["player"] },
      },
      {
        ...{ id: "demo-admins", type: "item", title: "Admins", label: "guide.navAdmins", icon: "lock" },
        ...{ url: paths.lobby, auth: ["admin"] },
      },
    ],
  },
];
