import AsyncLocation
import FoundationEssentials
import MQTTBackend

/// The output of `fleet`.
protocol FleetReport: Actor {
  func handle(_ update: FleetUpdate) async throws
  func handle(_ presence: FleetPresence) async throws
  func handle(_ event: FleetEvent) async throws
  func handle(_ message: FleetMessage) async throws
  func handle(_ state: ConnectionState) async
  func printMessage(_ text: String) async
  /// Does the work other than handling events, until cancelled. Returns immediately if there is
  /// none.
  func run() async throws
  func timedOut(after timeout: Duration) -> LocationError
  /// Called once at the end, even after cancellation.
  func finish() async throws
}

/// Prints each location, event and change of presence as a line.
actor FleetLines: FleetReport {
  private let context: CommandContext
  private let now: @Sendable () -> Date
  private var messages = ConnectionMessages()
  private var connection = BrokerConnection()

  /// - Parameter now: The host's wall clock.
  init(_ context: CommandContext, now: @escaping @Sendable () -> Date) {
    (self.context, self.now) = (context, now)
  }

  func handle(_ update: FleetUpdate) async throws {
    try await context.write(FleetLocation(update: update)) { FleetLine.line(update) }
  }

  func handle(_ presence: FleetPresence) async throws {
    try await context.write(presence) { FleetLine.line(presence) }
  }

  func handle(_ event: FleetEvent) async throws {
    try await context.write(FleetCrossing(event)) {
      FleetLine.line(event, context.presentation.glyphs)
    }
  }

  func handle(_ message: FleetMessage) async throws {
    let isJSON = context.presentation.shape == .json
    let line =
      try isJSON ? FleetLine.json(message, at: now()) : FleetLine.line(message, at: now())
    try await context.output.write(line + "\n")
  }

  func handle(_ state: ConnectionState) async {
    connection.update(state)
    if let text = messages.nextMessage(for: state) { await context.printMessage(text) }
  }

  func printMessage(_ text: String) async { await context.printMessage(text) }

  func run() {}

  func timedOut(after timeout: Duration) -> LocationError {
    FleetText.silent(for: timeout, connection)
  }

  func finish() {}
}

/// Shows the devices as a ``LiveTable``.
actor FleetLive: FleetReport {
  /// The minimum time between two copies of all devices, because copying is slow.
  private static let pause = Duration.milliseconds(250)
  /// The maximum number of messages that are printed after the table.
  private static let remarkLimit = 100

  private let context: CommandContext
  private let fleet: Fleet
  private let stopwatch: Stopwatch
  private let table: LiveTable
  private var view = FleetView()
  /// The devices, sorted by their names.
  private var devices: [FleetDevice] = []
  /// When the devices were last copied.
  private var copied: Duration?
  /// The order in which the view's devices are sorted.
  private var shownOrder = FleetOrder()
  private var connection = BrokerConnection()
  /// The messages to print after the table.
  private var remarks: [String] = []

  init(_ context: CommandContext, _ fleet: Fleet, source: String) {
    (self.context, self.fleet) = (context, fleet)
    stopwatch = Stopwatch(context.clock)
    table = LiveTable(context, pause: Self.pause)
    view.source = source
  }

  func handle(_ update: FleetUpdate) { table.redraw() }

  func handle(_ presence: FleetPresence) { table.redraw() }

  /// The table shows no messages of devices.
  func handle(_ message: FleetMessage) {}

  func handle(_ event: FleetEvent) {
    view.events.append(event)
    view.events.removeFirst(max(0, view.events.count - FleetTable.eventLimit))
    table.redraw()
  }

  func handle(_ state: ConnectionState) {
    (view.connection, view.connected) = (state, stopwatch.now)
    connection.update(state)
    table.redraw()
  }

  /// Shows the text in the table, and prints it after the table.
  func printMessage(_ text: String) {
    view.notice = text
    remarks.append(text)
    remarks.removeFirst(max(0, remarks.count - Self.remarkLimit))
    table.redraw()
  }

  func run() async throws {
    try await table.run({ await self.lines($0) }, press: { await self.press($0) })
  }

  func timedOut(after timeout: Duration) -> LocationError {
    FleetText.silent(for: timeout, connection)
  }

  func finish() async throws {
    view.notice = nil
    try await table.finish { await self.lines($0, isLast: true) }
    for remark in remarks { await context.printMessage(remark) }
  }

  private func press(_ key: Key) {
    if key == .escape { view.notice = nil }
    view.order.press(key)
    view.scroll.press(key)
  }

  private func lines(_ size: Window.Size, isLast: Bool = false) -> [StyledLine] {
    let now = stopwatch.now
    view.hasKeys = !isLast && context.keyboard.isAcquired
    sortDevices(now, copies: isLast)
    return FleetTable(width: size.columns, height: size.rows, glyphs: context.presentation.glyphs)
      .lines(&view, now: now)
  }

  /// Copies the devices if the last copy is old or `copies` is true. Sorts them if they or the
  /// order changed.
  private func sortDevices(_ now: Duration, copies: Bool) {
    let isFresh = copied.map { now - $0 < Self.pause } ?? false
    if copies || !isFresh {
      (devices, copied) = (fleet.devices, now)
    } else if shownOrder == view.order {
      return
    }
    (view.devices, shownOrder) = (view.order.sorted(devices), view.order)
  }
}
