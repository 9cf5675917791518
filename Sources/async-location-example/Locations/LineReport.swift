import AsyncLocation

/// Prints each location as a line, and messages about other events.
actor LineReport: WatchReport {
  nonisolated let isTable = false
  private let context: CommandContext
  private let line: @Sendable (Location, PlacemarkUpdate?) throws -> String
  private var messages: ConnectionMessages
  private var problem: LocationError?
  private var place: PlacemarkUpdate?
  /// The last printed attribution.
  private var attribution: String?

  init(
    _ context: CommandContext, namesSource: Bool,
    line: @escaping @Sendable (Location, PlacemarkUpdate?) throws -> String
  ) {
    (self.context, self.line) = (context, line)
    messages = ConnectionMessages(namesSource: namesSource)
  }

  func handle(_ location: Location) async throws {
    try await context.output.write(line(location, place?.shown(beside: location)) + "\n")
  }

  func handle(_ authorization: Authorization) {
    if place?.location.exceeds(authorization) == true { place = nil }
  }

  func handle(_ view: SatelliteView) {}

  func handle(_ state: ConnectionState) async {
    problem = state.problem
    if let text = messages.nextMessage(for: state) { await context.printMessage(text) }
  }

  func handle(_ update: LocationUpdate) async {
    if let text = messages.nextMessage(for: update) { await context.printMessage(text) }
  }

  func handle(_ update: PlacemarkUpdate) async {
    // Stored before any `await`, because permission may end during it.
    let (formerError, formerAttribution) = (place?.error, attribution)
    place = update
    attribution = PlaceText.attribution(update.placemarks) ?? attribution
    if let error = update.error, error != formerError {
      await context.printMessage("no place: " + error.message)
    }
    if let attribution, attribution != formerAttribution {
      await context.printMessage("places: " + attribution)
    }
  }

  func printMessage(_ text: String) async { await context.printMessage(text) }

  func run() async throws {}

  func timedOut(after timeout: Duration) -> LocationError {
    .silent(for: timeout, because: problem)
  }

  func finish() {}
}
