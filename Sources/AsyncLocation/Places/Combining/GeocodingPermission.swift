/// Permission to send a manager's location to a geocoder. A geocoder that calls another geocoder or
/// a server after a delay must check the permission before the call.
package struct GeocodingPermission: Sendable {
  /// Nil for a program's own request, which needs no permission.
  ///
  /// This type wraps the function: with a function as the task-local value, optimized code of Swift
  /// 6.3 crashes in `swift_task_localValuePush`, because the runtime has no metadata for the
  /// function's lowered type.
  @TaskLocal package static var current: GeocodingPermission?

  package let isGiven: @Sendable () -> Bool

  package init(isGiven: @escaping @Sendable () -> Bool) {
    self.isGiven = isGiven
  }

  /// - Throws: `CancellationError` once permission no longer covers the location, or the task is
  ///   cancelled.
  static func check() throws {
    try Task.checkCancellation()
    guard current?.isGiven() ?? true else { throw CancellationError() }
  }
}
