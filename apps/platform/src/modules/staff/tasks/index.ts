export { changeTask, setTaskTimes, type TaskChange } from "./change.ts";
export { createTasks, type Tasks, type TasksNow } from "./keeper.ts";
export { noticesOf, readNotices } from "./notices.ts";
export type { SetTargets } from "./kinds.ts";
