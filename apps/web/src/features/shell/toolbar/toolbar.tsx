import type { Language } from "@longarm/contract/settings";
import type { ReactNode } from "react";
import type { SignedInPlayer } from "../../../shared/auth/player.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { IconButton } from "../../../shared/ui/key.tsx";
import { ShortcutKey, starredOf } from "../search/shortcut-bar.tsx";
import { LanguageMenu } from "./language-menu.tsx";
import type { StarMenuProps } from "./star-menu.tsx";
import { StarMenu } from "./star-menu.tsx";
import css from "./toolbar.module.css";
import { UserMenu } from "./user-menu.tsx";

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
