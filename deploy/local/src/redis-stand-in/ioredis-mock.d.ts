declare module 'ioredis-mock' {
  /** What we use of the in-memory Redis; its commands are methods by their names in lower case. */
  class RedisMock {
    eval(script: string, numberOfKeys: number, ...args: string[]): Promise<unknown>;
  }
  export = RedisMock;
}
