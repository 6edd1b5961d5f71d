import { Menu } from "@base-ui/react/menu";
import type { Language } from "@longarm/contract/settings";
import { Avatar } from "@longarm/ui/avatar.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import { IconButton, keyClass } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import pop from "@longarm/ui/pop-out.module.css";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Role, SignedInPlayer } from "../../../shared/auth/player.ts";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { paths } from "../../../shared/paths/paths.ts";
import { ShortcutKey, starredOf } from "../search/shortcuts.tsx";
import type { StarMenuProps } from "./star-menu.tsx";
import { StarMenu } from "./star-menu.tsx";
import css from "./toolbar.module.css";

/** Addresses of the template's pages to which the bars lead; undefined when the operator has taken them out. */
export type TemplatePages = {
  readonly documentation: string | undefined;
  readonly register: string | undefined;
};

type ToolbarExtrasProps = StarMenuProps & {
  readonly onSearch: () => void;
  readonly onLanguage: (language: Language) => Promise<void>;
  readonly pages: TemplatePages;
  /** Information and support, where there is something to show. */
  readonly tools?: ReactNode;
};

type ToolbarProps = ToolbarExtrasProps & {
  readonly player: SignedInPlayer | undefined;
  /** Opens the drawer, on small screens. */
  readonly menuKey?: ReactNode;
  readonly actions?: ReactNode;
  readonly wallet?: ReactNode;
  /** Toggles of the panels at the end side. */
  readonly panelKeys?: ReactNode;
};

/** The line of the toolbar in the template's layouts. On phones the extras have no room: the drawer holds them. */
export function Toolbar({ player, menuKey, actions, wallet, panelKeys, ...extras }: ToolbarProps) {
  return (
    <div className={css["toolbar"]}>
      {menuKey}
      <div className={css["start"]}>
        <Shortcuts items={extras.items} shortcuts={extras.shortcuts} />
        <StarMenu items={extras.items} shortcuts={extras.shortcuts} />
      </div>
      <div className={css["money"]}>
        {actions}
        {wallet}
      </div>
      <div className={css["extras"]}>
        <SmallKeys {...extras} />
      </div>
      <div className={css["end"]}>
        <UserMenu player={player} register={extras.pages.register} />
        {panelKeys}
      </div>
    </div>
  );
}

/** What the toolbar has, for the drawer of a phone: star menu, search, languages, information and support. */
export function ToolbarExtras(props: ToolbarExtrasProps) {
  return (
    <>
      <StarMenu items={props.items} shortcuts={props.shortcuts} />
      <SmallKeys {...props} />
    </>
  );
}

function SmallKeys({ onSearch, onLanguage, pages, tools }: ToolbarExtrasProps) {
  const { t } = useText();
  return (
    <>
      <IconButton
        icon="search"
        label={t("bars.search")}
        aria-keyshortcuts="Control+K /"
        aria-haspopup="dialog"
        onClick={onSearch}
      />
      <LanguageMenu onLanguage={onLanguage} about={pages.documentation} />
      {tools}
    </>
  );
}

/** The starred items in a row that is scrolled when there are many; on a large screen only. */
function Shortcuts({ items, shortcuts }: StarMenuProps) {
  const { t } = useText();
  const starred = starredOf(items, useLive(shortcuts.ids));
  if (starred.length === 0) return null;
  return (
    <nav className={css["shortcuts"]} aria-label={t("shell.shortcuts")}>
      <ul>
        {starred.map((item) => (
          <li key={item.id}>
            <ShortcutKey item={item} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

const ROLES = { admin: "bars.admin", staff: "bars.staff", user: "bars.user" } as const satisfies Record<Role, TextKey>;

/** The player, and the links to sign in or out. `register`: where a guest may open an account, when there is such a page. */
function UserMenu({ player, register }: { player: SignedInPlayer | undefined; register: string | undefined }) {
  const { t } = useText();
  const name = player?.displayName ?? t("bars.guest");
  const role = player?.role[0];
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={keyClass({ kind: "bare" }, css["user"])} title={name}>
        <Avatar name={name} photo={player?.photoURL} className={css["face"] ?? ""} />
        <span className={css["who"]}>
          <bdi>{name}</bdi>
          {role !== undefined && <small>{t(ROLES[role])}</small>}
        </span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={pop["place"]} align="end" sideOffset={4} collisionPadding={8}>
          <Menu.Popup className={pop["panel"]} data-region="toolbar">
            {player === undefined ? (
              <>
                <Way to={paths.login} icon="lock" label={t("bars.login")} />
                {register !== undefined && <Way to={register} icon="plus" label={t("bars.register")} />}
              </>
            ) : (
              <>
                <Way to={paths.profile} icon="player" label={t("bars.myProfile")} />
                <Way to={paths.logout} icon="logout" label={t("shell.logout")} />
              </>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Way({ to, icon, label }: { to: string; icon: IconName; label: string }) {
  return (
    <Menu.LinkItem closeOnClick className={pop["row"]} render={<Link to={to} preload={false} />}>
      <Icon name={icon} />
      {label}
    </Menu.LinkItem>
  );
}

/** A language to choose (entity of the specification, 3): its title in the spoken language, and what its own speakers call it. */
type LanguageOption = {
  readonly id: Language;
  readonly title: TextKey;
  readonly ownName: string;
  readonly flag: FlagName;
};
const LANGUAGES: readonly LanguageOption[] = [
  { id: "en", title: "bars.english", ownName: "English", flag: "us" },
  { id: "tr", title: "bars.turkish", ownName: "Türkçe", flag: "tr" },
  { id: "ar", title: "bars.arabic", ownName: "العربية", flag: "sa" },
];

/** All languages, with the direction of writing that each brings. `about`: a page that says more, when there is one. */
function LanguageMenu(props: {
  readonly onLanguage: (language: Language) => Promise<void>;
  readonly about: string | undefined;
}) {
  const { t, language } = useText();
  const spoken = LANGUAGES.find(({ id }) => id === language);
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={keyClass({ kind: "bare" }, css["choice"])} title={t("app.language")}>
        {spoken !== undefined && <Flag name={spoken.flag} />}
        <span className="visually-hidden">{t("app.language")}</span>
        <span className={css["code"]}>{language}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={pop["place"]} align="end" sideOffset={4} collisionPadding={8}>
          <Menu.Popup className={pop["panel"]} data-region="toolbar">
            <Menu.RadioGroup value={language} onValueChange={props.onLanguage} aria-label={t("app.language")}>
              {LANGUAGES.map(({ id, title, ownName, flag }) => (
                <Menu.RadioItem key={id} value={id} closeOnClick className={pop["row"]}>
                  <Flag name={flag} />
                  <span>{t(title)}</span>
                  {ownName !== t(title) && (
                    <span className={css["ownName"]} lang={id} dir="auto">
                      {ownName}
                    </span>
                  )}
                  <Menu.RadioItemIndicator className={css["chosen"]}>
                    <Icon name="check" />
                  </Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            {props.about !== undefined && (
              <>
                <Menu.Separator className={pop["divider"]} />
                <Menu.LinkItem closeOnClick className={pop["row"]} render={<Link to={props.about} preload={false} />}>
                  {t("bars.learnMore")}
                </Menu.LinkItem>
              </>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

type FlagName = "us" | "tr" | "sa";

/** Small flags, drawn by us: enough of each to be known at 24 by 16. */
const FLAGS: Readonly<Record<FlagName, ReactNode>> = {
  us: (
    <>
      <path fill="#f4f4f4" d="M0 0h24v16H0z" />
      <path stroke="#b22334" strokeWidth="1.6" d="M0 .8h24M0 4h24M0 7.2h24M0 10.4h24M0 13.6h24" />
      <path fill="#33396b" d="M0 0h10.5v8H0z" />
      <path
        stroke="#f4f4f4"
        strokeWidth="1.1"
        strokeLinecap="round"
        d="M2 2h.01M5.2 2h.01M8.4 2h.01M3.6 4h.01M6.8 4h.01M2 6h.01M5.2 6h.01M8.4 6h.01"
      />
    </>
  ),
  tr: (
    <>
      <path fill="#d21f2b" d="M0 0h24v16H0z" />
      <circle cx="9" cy="8" r="4" fill="#fff" />
      <circle cx="10" cy="8" r="3.2" fill="#d21f2b" />
      <path fill="#fff" d="m12.2 8 3.4-1.1-2.1 2.9V6.2l2.1 2.9z" />
    </>
  ),
  sa: (
    <>
      <path fill="#0b6b3a" d="M0 0h24v16H0z" />
      <path
        fill="none"
        stroke="#fff"
        strokeWidth="1"
        strokeLinecap="round"
        d="M6 4.5v3.2M8.5 5v2.7h2V5M12.5 7.7h2.6V4.5M17.5 4.5v3.2M6.5 11.3h10.6M16 10.2v2.2"
      />
    </>
  ),
};

/** A flag beside the name of its language; hidden from screen readers. */
function Flag({ name }: { name: FlagName }) {
  return (
    <svg className={css["flag"]} viewBox="0 0 24 16" aria-hidden="true">
      {FLAGS[name]}
    </svg>
  );
}
