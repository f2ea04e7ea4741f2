/** Ports of the three applications; PORT is the planner's. */
export const PLANNER_PORT = Number(process.env.PORT ?? 3000);
export const FLIGHTS_PORT = Number(process.env.FLIGHTS_PORT ?? 3001);
export const HOTELS_PORT = Number(process.env.HOTELS_PORT ?? 3002);

export const urlOf = (port: number): string => `http://localhost:${port}`;
