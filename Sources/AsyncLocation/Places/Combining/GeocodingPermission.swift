/// Permission to send a manager's location to a geocoder. A geocoder that calls another one, or a
/// server, later than it was called itself must check it.
package struct GeocodingPermission: Sendable {
  /// Nil for a program's own request, which needs no permission.
  ///
  /// Not the function alone: with a task-local function, optimized code of Swift 6.3 crashes in
  /// `swift_task_localValuePush`, since the runtime has no metadata for its lowered type.
  @TaskLocal package static var current: GeocodingPermission?

  package let isGiven: @Sendable () -> Bool

  package init(isGiven: @escaping @Sendable () -> Bool) {
    self.isGiven = isGiven
  }

  /// - Throws: `CancellationError` once permission does not cover the location any more, or the task is
  ///   cancelled.
  static func check() throws {
    try Task.checkCancellation()
    guard current?.isGiven() ?? true else { throw CancellationError() }
  }
}
