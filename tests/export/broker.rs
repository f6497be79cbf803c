//! Definitions on a real RabbitMQ, whose URI is in `AMQP_URL`; its management API is found beside
//! it. Written when the client of the management API is there.
