/// Simulates a car on a route and returns its state at each whole second.
struct Driver {
  /// The position and speed of the car along its path.
  struct State: Sendable, Hashable {
    /// Metres along the path.
    var station: Double
    /// Metres per second.
    var speed: Double
  }

  /// Metres per second squared.
  private static let acceleration = 1.6
  /// Metres per second squared.
  private static let braking = 1.9
  private static let stepsPerSecond = 20

  /// The car's state at second 0, 1, 2 and so on until the last stop's wait is over.
  static func drive(_ route: Route) -> [State] {
    let step = 1 / Double(stepsPerSecond)
    var state = State(station: 0, speed: 0)
    var waiting = route.initialWait
    var stops = route.stops[...]
    var states: [State] = []
    var count = 0
    while true {
      if count.isMultiple(of: stepsPerSecond) { states.append(state) }
      count += 1
      if waiting > step / 2 {
        waiting -= step
        continue
      }
      guard let stop = stops.first else { return states }
      let remaining = stop.station - state.station
      // The car keeps moving until it reaches the stop, and brakes at most twice as hard as
      // `braking`.
      let next = max(
        min(state.speed + acceleration * step, allowed(at: state.station, route, stop)),
        state.speed - 2 * braking * step, 0.04)
      let travelled = (state.speed + next) / 2 * step
      if travelled >= remaining {
        state = State(station: stop.station, speed: 0)
        waiting = stop.wait
        stops.removeFirst()
      } else {
        state = State(station: state.station + travelled, speed: next)
      }
    }
  }

  /// The maximum speed at which the car can still brake for all limits and the stop ahead.
  private static func allowed(at station: Double, _ route: Route, _ stop: Route.Stop) -> Double {
    var squared = 2 * braking * max(0, stop.station - station)
    for limit in route.limits where limit.range.upperBound > station {
      let distance = max(0, limit.range.lowerBound - station)
      squared = min(squared, limit.speed * limit.speed + 2 * braking * distance)
    }
    return squared.squareRoot()
  }
}
