import { Avatar } from "@longarm/ui/avatar.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import { IconButton } from "@longarm/ui/key.tsx";
import { Logo, LogoMark } from "@longarm/ui/logo.tsx";
import { useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useEffect, useRef } from "react";
import type { SignedInPlayer } from "../../../shared/auth/player.ts";
import type { NavigationTree } from "../../../shared/navigation/navigation.ts";
import { VerticalNavigation } from "../../../shared/navigation/vertical.tsx";
import type { InfoLink } from "../navbar.tsx";
import { InfoLinks, LoginFacts, LogoLink } from "../navbar.tsx";
import css from "./framed-navbar.module.css";

/** What every form of the navigation shows. */
export type NavbarFacts = {
  readonly player: SignedInPlayer | undefined;
  readonly tree: NavigationTree;
  readonly balance: ReactNode;
  readonly infoLinks: readonly InfoLink[];
  readonly showVersion: boolean;
  /** Claim keys and small keys, where no toolbar has them. */
  readonly actions?: ReactNode;
  readonly extras?: ReactNode;
};

type FramedNavbarProps = NavbarFacts & {
  /** A column of 64 px: icons only. */
  readonly narrow: boolean;
  /** The key beside the logo: folds or unfolds, or closes the drawer. */
  readonly headKey: { readonly icon: IconName; readonly label: string; readonly onPress: () => void };
  readonly onChosen?: (() => void) | undefined;
  readonly onWiden?: (() => void) | undefined;
};

/** The vertical navigation: logo and button, the player, the tree, and what the casino's own menu ends with. */
export function FramedNavbar(props: FramedNavbarProps) {
  const { player, infoLinks, narrow, headKey, onChosen, onWiden } = props;
  const { t } = useText();
  const nav = useActiveInSight(narrow);
  return (
    <nav
      ref={nav}
      className={css["navbar"]}
      data-region="navbar"
      data-narrow={narrow || undefined}
      aria-label={t("shell.menu")}
    >
      <div className={css["head"]}>
        <LogoLink onChosen={onChosen}>{narrow ? <LogoMark /> : <Logo />}</LogoLink>
        <IconButton icon={headKey.icon} label={headKey.label} onClick={headKey.onPress} />
      </div>
      <UserHeader player={player} narrow={narrow} />
      {!narrow && (
        // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the keys inside act; this closes a drawer over their result.
        <div className={css["money"]} onClick={onChosen}>
          {player && props.balance}
          {props.actions}
        </div>
      )}
      {!narrow && props.extras !== undefined && <div className={css["extras"]}>{props.extras}</div>}
      <VerticalNavigation items={props.tree} narrow={narrow} onChosen={onChosen} onWiden={onWiden} />
      {!narrow && (
        <div className={css["foot"]}>
          <InfoLinks links={infoLinks} onChosen={onChosen} />
          {player && <LoginFacts player={player} showVersion={props.showVersion} />}
        </div>
      )}
    </nav>
  );
}

/** The entry of the open page is never below the edge of a long tree. */
function useActiveInSight(narrow: boolean) {
  const nav = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page or another form has its entry elsewhere.
  useEffect(() => {
    const active = nav.current?.querySelector("a[aria-current=page]");
    if (!nav.current || !active) return;
    const [bar, entry] = [nav.current.getBoundingClientRect(), active.getBoundingClientRect()];
    // The head lies over the first 64 px.
    const [above, below] = [entry.top - bar.top - 64, entry.bottom - bar.bottom];
    if (above < 0 || below > 0) nav.current.scrollTop += entry.top - bar.top - bar.height / 2;
  }, [path, narrow]);
  return nav;
}

/** Name and e-mail over a band, the face on its lower edge. */
function UserHeader({ player, narrow }: { player: SignedInPlayer | undefined; narrow: boolean }) {
  const { t } = useText();
  const name = player?.displayName ?? t("bars.guest");
  return (
    <div className={css["user"]}>
      {!narrow && (
        <>
          <b>
            <bdi>{name}</bdi>
          </b>
          {player !== undefined && player.email !== "" && (
            <small>
              <bdi>{player.email}</bdi>
            </small>
          )}
        </>
      )}
      <Avatar name={name} photo={player?.photoURL} className={css["face"] ?? ""} />
    </div>
  );
}
