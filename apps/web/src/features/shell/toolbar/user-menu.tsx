import { Menu } from "@base-ui/react/menu";
import { Link } from "@tanstack/react-router";
import type { Role, SignedInPlayer } from "../../../shared/auth/player.ts";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { paths } from "../../../shared/paths/paths.ts";
import { Avatar } from "../../../shared/ui/avatar/avatar.tsx";
import { Icon } from "../../../shared/ui/icon.tsx";
import type { IconName } from "../../../shared/ui/icon-paths.ts";
import { keyClass } from "../../../shared/ui/key.tsx";
import pop from "../../../shared/ui/pop-out.module.css";
import css from "./toolbar.module.css";

const ROLES = { admin: "bars.admin", staff: "bars.staff", user: "bars.user" } as const satisfies Record<Role, TextKey>;

/** Who is here, and the ways in or out. `register`: where a guest may ask for an account, when there is such a page. */
export function UserMenu({ player, register }: { player: SignedInPlayer | undefined; register: string | undefined }) {
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
