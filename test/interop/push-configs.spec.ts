import { PushNotificationNotSupportedError } from '@a2a-js/sdk/errors';
import { expect, it } from 'vitest';
import { onEveryWire } from './on-every-wire.js';
import { listing, send, sendForTask, V1 } from './sdk.js';

onEveryWire(
  'push notification configs of an agent without push',
  { CAPABILITIES: 'streaming,extended' },
  (wire) => {
    const config = (taskId: string) => ({
      tenant: '',
      id: 'hook',
      taskId,
      url: 'https://example.com/hook',
      token: '',
      authentication: undefined,
    });

    it('are refused by the client itself, which reads the card', async () => {
      const { id: taskId } = await sendForTask(wire.client, 'quick');
      const names = { tenant: '', taskId, id: 'hook' };
      const page = { tenant: '', taskId, pageSize: 0, pageToken: '' };
      // These three throw before they return a promise.
      expect(() => wire.client.createTaskPushNotificationConfig(config(taskId))).toThrow(
        PushNotificationNotSupportedError,
      );
      expect(() => wire.client.getTaskPushNotificationConfig(names)).toThrow(
        PushNotificationNotSupportedError,
      );
      expect(() => wire.client.listTaskPushNotificationConfig(page)).toThrow(
        PushNotificationNotSupportedError,
      );
    });

    it('are refused by the server, to which the transport speaks without looking at the card', async () => {
      const { id: taskId } = await sendForTask(wire.client, 'quick');
      const names = { tenant: '', taskId, id: 'hook' };
      const page = { tenant: '', taskId, pageSize: 0, pageToken: '' };
      const { transport } = wire.client;
      const calls = [
        () => transport.createTaskPushNotificationConfig(config(taskId), V1),
        () => transport.getTaskPushNotificationConfig(names, V1),
        () => transport.listTaskPushNotificationConfig(page, V1),
        () => transport.deleteTaskPushNotificationConfig(names, V1),
        () => wire.client.deleteTaskPushNotificationConfig(names),
      ];
      for (const call of calls)
        await expect(call()).rejects.toBeInstanceOf(PushNotificationNotSupportedError);
    });

    it('are refused inside a send, before anything is stored', async () => {
      const contextId = 'push-context';
      const request = send('quick', {
        message: { contextId },
        configuration: { taskPushNotificationConfig: config('') },
      });
      await expect(wire.client.sendMessage(request)).rejects.toBeInstanceOf(
        PushNotificationNotSupportedError,
      );
      const { totalSize } = await wire.client.listTasks(listing({ contextId }));
      expect(totalSize).toBe(0);
    });
  },
);
