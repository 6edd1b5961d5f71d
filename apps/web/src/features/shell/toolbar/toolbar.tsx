import { Menu } from "@base-ui/react/menu";
import type { Language } from "@longarm/contract/settings";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Role, SignedInPlayer } from "../../../shared/auth/player.ts";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { paths } from "../../../shared/paths/paths.ts";
import { Avatar } from "../../../shared/ui/avatar/avatar.tsx";
import { Icon } from "../../../shared/ui/icon.tsx";
import type { IconName } from "../../../shared/ui/icon-paths.ts";
import { IconButton, keyClass } from "../../../shared/ui/key.tsx";
import pop from "../../../shared/ui/pop-out.module.css";
import { ShortcutKey, starredOf } from "../search/shortcut-bar.tsx";
import { LanguageMenu } from "./language-menu.tsx";
import type { StarMenuProps } from "./star-menu.tsx";
import { StarMenu } from "./star-menu.tsx";
import css from "./toolbar.module.css";

/** Addresses of the template's pages to which the bars lead; undefined when the operator has taken them out. */
export type TemplatePages = {
  readonly documentation: string | undefined;
  readonly register: string | undefined;
};

export type ToolbarExtrasProps = StarMenuProps & {
  readonly onSearch: () => void;
  readonly onLanguage: (language: Language) => Promise<void>;
  readonly pages: TemplatePages;
  /** Information and support, where there is something to show. */
  readonly tools?: ReactNode;
};

export type ToolbarProps = ToolbarExtrasProps & {
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

/** Who is here, and the ways in or out. `register`: where a guest may ask for an account, when there is such a page. */
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
