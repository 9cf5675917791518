/// Runs a closure with a location manager of its own, which is shut down when the closure returns
/// or throws, before this function does.
///
/// - Throws: What the closure throws.
public func withLocationManager<Result>(
  backend: any LocationBackend, configuration: LocationManager.Configuration = .init(),
  clock: any Clock<Duration> = .continuous,
  body: (LocationManager) async throws -> Result
) async rethrows -> Result {
  let manager = LocationManager(backend: backend, configuration: configuration, clock: clock)
  do {
    let result = try await body(manager)
    await manager.shutdown()
    return result
  } catch {
    await manager.shutdown()
    throw error
  }
}
