import type { ReactNode } from "react";
import { Avatar } from "../../../shared/ui/avatar/avatar.tsx";
import css from "./profile.module.css";

/** Somebody's face, a line about them, and a smaller one. */
export function PersonLine(props: { readonly name: string; readonly small?: string; readonly children: ReactNode }) {
  return (
    <div className={css["person"]}>
      <Avatar name={props.name} />
      <p>
        {props.children}
        {props.small !== undefined && <small>{props.small}</small>}
      </p>
    </div>
  );
}
