import type { IconName } from "../../../../shared/ui/icon-paths.ts";
import { Key } from "../../../../shared/ui/key.tsx";
import css from "../stage.module.css";

/** Says what the browser holds back until the player does something. Any gesture ends it; this is the one to make. */
export function Locked({ icon, middle = false, children }: { icon: IconName; middle?: boolean; children: string }) {
  return (
    <div className={css["locked"]} data-middle={middle} role="status">
      <Key icon={icon}>{children}</Key>
    </div>
  );
}
